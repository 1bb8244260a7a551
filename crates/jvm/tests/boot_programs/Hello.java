/** The smallest program. */
public class Hello {
    public static void main(String[] args) {
        System.out.println("Hello, world");
        System.out.println(42);
        System.out.println(3.5);
        System.out.println((Object) null);
        System.out.print('x');
        System.out.println(true);
        System.out.println("äöü € 😀");
    }
}
