import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.List;

/**
 * Arguments: a file to report to, milliseconds a test may take, a seed for the order (0: the usual one), a file
 * with one class#method a line. Reports one line an event, fields separated by tabs: start ID, pass ID, fail ID
 * MESSAGE, trouble MESSAGE, done. A file and not standard output, because tests print.
 */
final class TestwrightReport {
    final long seed;
    final List<String> tests;
    private final OutputStream out;
    private final long limit;
    private volatile long deadline;

    TestwrightReport(String[] args) throws IOException {
        out = new FileOutputStream(args[0], true);
        limit = Long.parseLong(args[1]) * 1_000_000L;
        seed = Long.parseLong(args[2]);
        tests = Files.readAllLines(Paths.get(args[3]), StandardCharsets.UTF_8);
        rest();
        Thread watchdog = new Thread(this::watch, "testwright-watchdog");
        watchdog.setDaemon(true);
        watchdog.setPriority(Thread.MAX_PRIORITY);
        watchdog.start();
    }

    /** A test that hangs cannot be stopped, only the JVM; whoever started it then runs the others again. */
    private void watch() {
        while (true) {
            if (System.nanoTime() - deadline > 0) {
                Runtime.getRuntime().halt(124);
            }
            try {
                Thread.sleep(20);
            } catch (InterruptedException e) {
                // The watch goes on whatever the code under test interrupts.
            }
        }
    }

    void started(String id) {
        deadline = System.nanoTime() + limit;
        write("start\t" + escape(id));
    }

    /** Between tests JUnit works, which takes a while of its own on a busy machine. */
    private void rest() {
        deadline = System.nanoTime() + limit + 60_000_000_000L;
    }

    void passed(String id) {
        rest();
        write("pass\t" + escape(id));
    }

    void failed(String id, Throwable why) {
        rest();
        write("fail\t" + escape(id) + "\t" + escape(describe(why)));
    }

    void trouble(Throwable why) {
        write("trouble\t" + escape(describe(why)));
    }

    /** Ends the JVM: threads that the code under test left behind must not keep it. */
    void done() {
        write("done");
        deadline = System.nanoTime() + limit;
        System.exit(0);
    }

    private static String describe(Throwable why) {
        if (why == null) {
            return "no reason given";
        }
        try {
            String text = why.toString();
            return text.length() > 4000 ? text.substring(0, 4000) + "..." : text;
        } catch (Throwable again) {
            return why.getClass().getName();
        }
    }

    private synchronized void write(String line) {
        try {
            out.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
            out.flush();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String escape(String text) {
        StringBuilder escaped = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 32 && c < 127 && c != '\\') {
                escaped.append(c);
            } else {
                escaped.append('\\').append(Integer.toHexString(0x10000 | c).substring(1));
            }
        }
        return escaped.toString();
    }
}
