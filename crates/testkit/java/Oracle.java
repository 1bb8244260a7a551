import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.TimeZone;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Answers calls on the real JVM: one request a line on standard input, one answer a line on standard output, in order.
 *
 * <pre>
 *   C fresh class method desc - (args)                    a static method; fresh = 1: in a new world
 *   C fresh class method desc new ctorDesc (args) (args)  an instance method of a new object
 *   C fresh class method desc on value (args)             an instance method of a string or box
 *   C fresh class &lt;init&gt; desc - (args)              a constructor
 *   M class      public constructors and methods: name:desc:flags (s static, i instance, c constructor, d declared here)
 *   E class      names of enum constants
 *   F class      names of mutable static fields
 *   V            branch edges, of methods with new ones since last asked: class.name:desc:total:id,id,...
 *
 *   R value (args after) {receiver fields}|- stdout|-
 *   T class message (args after) {receiver fields}|- stdout|-
 *   U class message (args after) - stdout|-          the receiver's constructor threw
 *   X reason
 *   L items...
 * </pre>
 *
 * A call that runs out of time is answered by the watchdog, which then ends this process: a thread cannot be
 * stopped safely, and a new JVM costs less than a wrong answer. The other side starts it again.
 */
public final class Oracle {
    private static final PrintStream ANSWERS =
            new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.US_ASCII);
    private static final ByteArrayOutputStream CAPTURED = new ByteArrayOutputStream();
    private static final PrintStream CAPTURE = new PrintStream(CAPTURED, true, StandardCharsets.UTF_8);
    private static final int CAPTURE_LIMIT = 100_000;

    private static String[] classPath = {};
    private static long timeoutMillis = 2000;
    private static UnaryOperator<byte[]> transform;
    private static Supplier<String> edges = () -> "";
    private static Consumer<String> ended = method -> {};
    private static World shared;

    /** Counts calls begun and ended: odd while one runs. */
    private static volatile long tick;

    public static void main(String[] arguments) throws Exception {
        configure(arguments);
        Locale.setDefault(Locale.US);
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        System.setErr(new PrintStream(new ByteArrayOutputStream()));
        shared = new World(classPath, transform);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> endWith("X exited")));
        Thread watchdog = new Thread(Oracle::watch, "watchdog");
        watchdog.setDaemon(true);
        watchdog.start();
        Thread calls = new Thread(null, Oracle::serve, "calls", 1 << 20);
        calls.start();
    }

    @SuppressWarnings("unchecked")
    private static void configure(String[] arguments) throws Exception {
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--cp":
                    classPath = arguments[++i].split(java.io.File.pathSeparator);
                    break;
                case "--timeout":
                    timeoutMillis = Long.parseLong(arguments[++i]);
                    break;
                case "--edges":
                    // Compiled apart: it needs an internal package that newer JDKs do not have.
                    Object made = Class.forName("Edges").getDeclaredConstructor().newInstance();
                    transform = (UnaryOperator<byte[]>) made;
                    edges = (Supplier<String>) made;
                    ended = (Consumer<String>) made;
                    break;
                default:
                    throw new IllegalArgumentException(arguments[i]);
            }
        }
    }

    private static void serve() {
        try (BufferedReader requests =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), 1 << 16)) {
            System.setIn(new java.io.ByteArrayInputStream(new byte[0]));
            String line;
            while ((line = requests.readLine()) != null) {
                String answer = answer(line.split(" "));
                synchronized (ANSWERS) {
                    ANSWERS.print(answer);
                    ANSWERS.print('\n');
                    if (!requests.ready()) {
                        ANSWERS.flush();
                    }
                }
            }
        } catch (IOException e) {
            endWith("X " + e);
        }
        synchronized (ANSWERS) {
            ANSWERS.flush();
        }
        Runtime.getRuntime().halt(0); // threads that code under test left behind do not keep us alive
    }

    private static void watch() {
        long seen = -1;
        long since = System.nanoTime();
        while (true) {
            try {
                Thread.sleep(20);
            } catch (InterruptedException e) {
                continue;
            }
            long now = tick;
            if (now != seen || (now & 1) == 0) {
                seen = now;
                since = System.nanoTime();
            } else if (System.nanoTime() - since > timeoutMillis * 1_000_000) {
                endWith("X timed out");
                Runtime.getRuntime().halt(3);
            }
        }
    }

    /** The last word of a process that cannot go on, if a call is waiting for one. */
    private static void endWith(String answer) {
        synchronized (ANSWERS) {
            if ((tick & 1) == 1) {
                ANSWERS.print(answer);
                ANSWERS.print('\n');
            }
            ANSWERS.flush();
        }
    }

    private static String answer(String[] request) {
        try {
            switch (request[0]) {
                case "C":
                    return call(request);
                case "M":
                    return members(Class.forName(request[1], false, shared));
                case "E":
                    return constants(Class.forName(request[1], true, shared));
                case "F":
                    return mutableStatics(Class.forName(request[1], false, shared));
                case "V":
                    return "L" + edges.get();
                default:
                    return "X unknown request " + request[0];
            }
        } catch (Throwable t) {
            return "X " + oneLine(t.toString());
        }
    }

    private static String call(String[] request) throws Throwable {
        ClassLoader world = request[1].equals("1") ? new World(classPath, transform) : shared;
        Class<?> owner = Class.forName(request[2], false, world);
        String name = request[3];
        String descriptor = request[4];
        Object[] arguments = new Codec.Reader(request[request.length - 1], world).list();
        Class<?>[] types = Types.parameters(descriptor, world);
        boolean makes = name.equals("<init>");
        Constructor<?> constructor = makes ? Types.constructor(owner, descriptor) : null;
        Method method = makes ? null : Types.method(owner, name, descriptor);
        if (owner.getClassLoader() != null) {
            (makes ? constructor : method).setAccessible(true);
        }

        System.setOut(CAPTURE);
        CAPTURED.reset();
        Object receiver = null;
        Object result = null;
        Throwable thrown = null;
        boolean received = false;
        tick++;
        try {
            receiver = receiver(request, owner, world);
            received = true;
            result = makes ? constructor.newInstance(arguments) : method.invoke(receiver, arguments);
        } catch (InvocationTargetException e) {
            thrown = e.getCause();
        } finally {
            tick++;
            ended.accept(request[2] + "." + name + ":" + descriptor);
        }
        return describe(request, method, receiver, received, result, thrown, arguments, types);
    }

    private static Object receiver(String[] request, Class<?> owner, ClassLoader world) throws Throwable {
        switch (request[5]) {
            case "new":
                Constructor<?> made = Types.constructor(owner, request[6]);
                made.setAccessible(true);
                return made.newInstance(new Codec.Reader(request[7], world).list());
            case "on":
                return new Codec.Reader(request[6], world).value();
            default:
                return null;
        }
    }

    private static String describe(String[] request, Method method, Object receiver, boolean received, Object result,
            Throwable thrown, Object[] arguments, Class<?>[] types) throws IllegalAccessException {
        StringBuilder out = new StringBuilder();
        if (thrown != null) {
            out.append(received ? "T " : "U ").append(thrown.getClass().getName()).append(' ');
            Codec.write(out, message(thrown), false);
        } else {
            out.append("R ");
            Class<?> type = method == null ? Object.class : method.getReturnType();
            if (type == void.class) {
                out.append('v');
            } else {
                Codec.write(out, result, type.isPrimitive());
            }
        }
        out.append(' ');
        Codec.writeList(out, arguments, types);
        out.append(' ');
        if (receiver != null && request[5].equals("new")) {
            Codec.writeFields(out, receiver);
        } else {
            out.append('-');
        }
        out.append(' ');
        byte[] printed = CAPTURED.toByteArray();
        if (printed.length > CAPTURE_LIMIT) {
            throw new Codec.TooLarge();
        }
        if (printed.length == 0) {
            out.append('-');
        }
        for (byte b : printed) {
            out.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
        }
        return out.toString();
    }

    private static String message(Throwable t) {
        try {
            String message = t.getMessage();
            // Messages of failed casts name the loader; ours stands for the one of an application.
            return message == null ? null : message.replaceAll("loader World @[0-9a-f]+", "loader 'app'");
        } catch (Throwable second) {
            return null;
        }
    }

    private static String members(Class<?> owner) {
        StringBuilder out = new StringBuilder("L");
        if (!Modifier.isAbstract(owner.getModifiers())) {
            Arrays.stream(owner.getConstructors())
                    .sorted(Comparator.comparing(Types::descriptor))
                    .forEach(c -> out.append(" <init>:").append(Types.descriptor(c)).append(":cd"));
        }
        Arrays.stream(owner.getMethods())
                .filter(m -> !m.isBridge() && !m.isSynthetic())
                .sorted(Comparator.comparing((Method m) -> m.getName() + Types.descriptor(m)))
                .forEach(m -> out.append(' ').append(m.getName()).append(':').append(Types.descriptor(m)).append(':')
                        .append(Modifier.isStatic(m.getModifiers()) ? 's' : 'i')
                        .append(m.getDeclaringClass() == owner ? "d" : ""));
        return out.toString();
    }

    private static String constants(Class<?> owner) {
        StringBuilder out = new StringBuilder("L");
        Object[] all = owner.getEnumConstants();
        for (Object constant : all == null ? new Object[0] : all) {
            out.append(' ').append(((Enum<?>) constant).name());
        }
        return out.toString();
    }

    private static String mutableStatics(Class<?> owner) {
        StringBuilder out = new StringBuilder("L");
        Arrays.stream(owner.getDeclaredFields())
                .filter(f -> Modifier.isStatic(f.getModifiers()) && !Modifier.isFinal(f.getModifiers()) && !f.isSynthetic())
                .forEach(f -> out.append(' ').append(f.getName()));
        return out.toString();
    }

    private static String oneLine(String text) {
        return text.replace('\n', ' ').replace('\r', ' ');
    }
}
