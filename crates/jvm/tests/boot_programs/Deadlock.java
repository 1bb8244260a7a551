/** Two threads take two locks in opposite orders. */
public class Deadlock {
    private static final Object A = new String("a");
    private static final Object B = new String("b");

    private static void both(Object first, Object second) {
        synchronized (first) {
            try {
                Thread.sleep(10);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            synchronized (second) {
                System.out.println("both");
            }
        }
    }

    public static void main(String[] args) {
        new Thread(() -> both(B, A)).start();
        both(A, B);
    }
}
