/** Two threads initialise two classes that need each other. */
public class InitDeadlock {
    static class First {
        static int value = slowly(() -> Second.value);
    }

    static class Second {
        static int value = slowly(() -> First.value);
    }

    private static int slowly(java.util.function.IntSupplier other) {
        try {
            Thread.sleep(10);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return other.getAsInt() + 1;
    }

    public static void main(String[] args) {
        new Thread(() -> System.out.println(First.value)).start();
        System.out.println(Second.value);
    }
}
