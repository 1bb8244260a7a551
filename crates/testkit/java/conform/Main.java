package conform;

import java.io.*;
import java.lang.reflect.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;

/** Makes the calls on a real JVM: {@code Main calls tries salt reverse class...} prints {@code class method seed text}. */
public final class Main {
    public static void main(String[] arguments) throws Throwable {
        int calls = Integer.parseInt(arguments[0]);
        int tries = Integer.parseInt(arguments[1]);
        setOrder(Long.parseLong(arguments[2]), Boolean.parseBoolean(arguments[3]));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.US_ASCII);
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        System.setOut(nowhere);
        System.setErr(nowhere);
        for (int k = 4; k < arguments.length; k++) {
            all(Class.forName(arguments[k]), calls, tries, out);
        }
        out.flush();
        Runtime.getRuntime().halt(0);
    }

    /** The order of Set.of and Map.of changes from JVM to JVM; here it is the given one. */
    private static void setOrder(long salt, boolean reverse) throws Throwable {
        Field field = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
        field.setAccessible(true);
        sun.misc.Unsafe unsafe = (sun.misc.Unsafe) field.get(null);
        Class<?> owner = Class.forName("java.util.ImmutableCollections");
        for (Field each : owner.getDeclaredFields()) {
            if (each.getName().equals("SALT32L")) {
                unsafe.putLong(unsafe.staticFieldBase(each), unsafe.staticFieldOffset(each), salt);
            } else if (each.getName().equals("REVERSE")) {
                unsafe.putBoolean(unsafe.staticFieldBase(each), unsafe.staticFieldOffset(each), reverse);
            }
        }
    }

    private static void all(Class<?> type, int calls, int tries, PrintStream out) throws Throwable {
        Method run = type.getMethod("run", int.class, long.class);
        String[] only = System.getProperty("conform.only", "").split(" ");
        if (only.length == 2) {
            String text = watched(run, Integer.parseInt(only[0]), Long.parseLong(only[1]));
            out.println(type.getSimpleName() + " " + only[0] + " " + only[1] + " " + text);
            return;
        }
        int count = (Integer) type.getMethod("count").invoke(null);
        for (int method = 0; method < count; method++) {
            int made = 0;
            int blocked = 0;
            for (int seed = 0; seed < tries && made < calls; seed++) {
                String text = watched(run, method, seed * 1000003L + method);
                if (text.startsWith("-")) {
                    continue;
                }
                made++;
                out.println(type.getSimpleName() + " " + method + " " + (seed * 1000003L + method) + " " + text);
                if (text.equals("(blocked)") && ++blocked >= 22) {
                    break; // each costs time
                }
            }
        }
        out.flush();
    }

    /** A call in a thread of its own, given up after a while. */
    @SuppressWarnings({"deprecation", "removal"})
    private static String watched(Method run, int method, long seed) throws Throwable {
        Worker worker = Worker.idle();
        String text = worker.call(run, method, seed);
        if (text == null) {
            try {
                worker.thread.stop();
            } catch (UnsupportedOperationException e) {
                // Since Java 20: it is left behind.
            }
            Worker.idle = null;
            return "(blocked)";
        }
        return text;
    }

    private static final class Worker implements Runnable {
        static Worker idle;
        final Thread thread = new Thread(this, "main");
        private Method run;
        private int method;
        private long seed;
        private String text;
        private boolean asked;

        static Worker idle() {
            if (idle == null) {
                idle = new Worker();
                idle.thread.setDaemon(true);
                idle.thread.start();
            }
            return idle;
        }

        synchronized String call(Method run, int method, long seed) throws InterruptedException {
            this.run = run;
            this.method = method;
            this.seed = seed;
            text = null;
            asked = true;
            notifyAll();
            // Given up when it waits for a while, or takes very long.
            int waited = 0;
            for (int looks = 0; text == null && looks < 400 && waited < 12; looks++) {
                wait(looks < 20 ? 1 : 10);
                Thread.State state = thread.getState();
                waited = state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING ? waited + 1 : 0;
            }
            return text;
        }

        @Override
        public void run() {
            while (true) {
                synchronized (this) {
                    while (!asked) {
                        try {
                            wait();
                        } catch (InterruptedException e) {
                            // Left over from a call.
                        }
                    }
                    asked = false;
                }
                String answer;
                try {
                    answer = (String) run.invoke(null, method, seed);
                } catch (Throwable t) {
                    answer = "- " + t;
                }
                Thread.interrupted();
                synchronized (this) {
                    text = answer;
                    notifyAll();
                }
            }
        }
    }
}
