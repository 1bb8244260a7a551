import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceLoader;

/** Classes that one thread initialises while others come to them; services of the program. */
public class Initialising {
    static class Slow {
        static final List<Integer> PRIMES = new ArrayList<>();
        static int count;

        static {
            for (int n = 2; PRIMES.size() < 2000; n++) {
                boolean prime = true;
                for (int d = 2; d * d <= n && prime; d++) {
                    prime = n % d != 0;
                }
                if (prime) {
                    PRIMES.add(n);
                }
            }
            count = PRIMES.size();
        }
    }

    static class Failing {
        static final int VALUE = fail();

        private static int fail() {
            int sum = 0;
            for (int i = 0; i < 3_000_000; i++) {
                sum += i;
            }
            throw new IllegalStateException("sum " + sum);
        }
    }

    interface Greeter {
        String greet();
    }

    public static class Loud implements Greeter {
        @Override
        public String greet() {
            return "HELLO";
        }
    }

    public static class Polite implements Greeter {
        @Override
        public String greet() {
            return "Good day";
        }
    }

    public static void main(String[] args) throws Exception {
        int[] seen = new int[3];
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < seen.length; i++) {
            int index = i;
            threads.add(new Thread(() -> seen[index] = Slow.count));
        }
        String[] failures = new String[2];
        for (int i = 0; i < failures.length; i++) {
            int index = i;
            threads.add(new Thread(() -> {
                try {
                    failures[index] = "value " + Failing.VALUE;
                } catch (Throwable e) {
                    failures[index] = e instanceof NoClassDefFoundError || e instanceof ExceptionInInitializerError ? "error" : e.toString();
                }
            }));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(seen[0] + " " + seen[1] + " " + seen[2] + " " + failures[0] + " " + failures[1]);
        Iterator<Greeter> greeters = ServiceLoader.load(Greeter.class).iterator();
        while (greeters.hasNext()) {
            System.out.println(greeters.next().greet());
        }
    }
}
