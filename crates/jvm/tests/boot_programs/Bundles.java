import java.io.*;
import java.net.URL;
import java.util.*;

/** Resources of the program itself: bundles of messages, streams, addresses. */
public class Bundles {
    public static void main(String[] args) throws Exception {
        System.out.println(ResourceBundle.getBundle("Messages").getString("greeting"));
        System.out.println(ResourceBundle.getBundle("Messages", Locale.GERMAN).getString("greeting"));
        System.out.println(ResourceBundle.getBundle("Messages", Locale.FRENCH).getString("greeting"));
        System.out.println(ResourceBundle.getBundle("Messages", Locale.GERMANY).getString("farewell"));
        System.out.println(new TreeSet<>(ResourceBundle.getBundle("Messages").keySet()));
        try {
            ResourceBundle.getBundle("Nothing");
        } catch (MissingResourceException e) {
            System.out.println(e.getClassName() + " " + e.getKey());
        }
        URL url = Bundles.class.getResource("Messages.properties");
        System.out.println(url.getProtocol() + " " + url.getPath().endsWith("/Messages.properties"));
        try (BufferedReader in = new BufferedReader(new InputStreamReader(url.openStream()))) {
            System.out.println(in.readLine());
        }
        System.out.println(Bundles.class.getResource("Nothing.properties"));
        System.out.println(ClassLoader.getSystemResource("Messages_de.properties") != null);
        try (InputStream in = Bundles.class.getResourceAsStream("/Messages.properties")) {
            Properties properties = new Properties();
            properties.load(in);
            System.out.println(properties.getProperty("farewell"));
        }
    }
}
