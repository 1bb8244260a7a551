/** Lines matter. */
public class Thrower {
    public static void main(String[] args) {
        fail();
    }

    static void fail() {
        throw new IllegalStateException("end");
    }
}
