import java.time.Year;
import java.util.*;

public class World {
    public static void main(String[] args) {
        System.out.println(Locale.getDefault());
        System.out.println(TimeZone.getDefault().getID());
        System.out.println(Year.now());
        System.out.println(new Object().hashCode());
    }
}
