/** Exceptions, stack traces, finally, suppression, initialisers. */
public class Exceptions {
    static class Res implements AutoCloseable {
        final String name;
        Res(String name) { this.name = name; System.out.println("open " + name); }
        public void close() { System.out.println("close " + name); throw new IllegalStateException("close " + name); }
    }
    static class Bad {
        static int value = 1 / zero();
        static int zero() { return 0; }
    }
    static int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
    static int forever(int n) { return forever(n + 1) + 1; }
    static int tryFinally() {
        try { return 1; } finally { System.out.println("finally"); }
    }
    static void thrower(int n) {
        if (n == 0) throw new IllegalArgumentException("deep");
        thrower(n - 1);
    }

    public static void main(String[] args) throws Exception {
        try (Res a = new Res("a"); Res b = new Res("b")) {
            throw new RuntimeException("body");
        } catch (RuntimeException e) {
            System.out.println(e + " " + java.util.Arrays.toString(e.getSuppressed()));
        }
        System.out.println(tryFinally() + depth(500));
        try {
            thrower(2);
        } catch (IllegalArgumentException e) {
            for (StackTraceElement element : e.getStackTrace()) System.out.println(element);
            e.printStackTrace(System.out);
        }
        try {
            System.out.println(Bad.value);
        } catch (ExceptionInInitializerError e) {
            System.out.println(e + " " + e.getCause());
        }
        try {
            System.out.println(Bad.value);
        } catch (NoClassDefFoundError e) {
            System.out.println(e.getMessage());
        }
        Object o = "text";
        try {
            System.out.println((Integer) o);
        } catch (ClassCastException e) {
            System.out.println(e.getMessage());
        }
        try {
            Object[] strings = new String[1];
            strings[0] = 1;
        } catch (ArrayStoreException e) {
            System.out.println(e);
        }
        try {
            int[] a = new int[2];
            a[2] = 1;
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
        try {
            System.out.println(new int[-1].length);
        } catch (NegativeArraySizeException e) {
            System.out.println(e);
        }
        try {
            System.arraycopy(new int[3], 0, new int[2], 0, 3);
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
        try {
            System.arraycopy(new Object[] {"a", 1}, 0, new String[2], 0, 2);
        } catch (ArrayStoreException e) {
            System.out.println(e.getMessage());
        }
        try {
            forever(0);
        } catch (StackOverflowError e) {
            System.out.println(e);
        }
        try {
            throw new Exception("outer", new RuntimeException("inner"));
        } catch (Exception e) {
            System.out.println(e.getCause().getMessage());
        }
        try {
            Object n = null;
            n.toString();
        } catch (NullPointerException e) {
            System.out.println("NPE");
        }
        assert args != null : "assertions on";
    }
}
