public class Threads {
    public static void main(String[] args) throws Exception {
        Thread thread = new Thread(() -> System.out.println("in a thread"));
        thread.start();
        thread.join();
    }
}
