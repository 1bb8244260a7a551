/** What the probe needs besides the cases. No JUnit, no library, Java 8. */
@SuppressWarnings({"rawtypes", "unchecked", "deprecation"})
class TestwrightProbeSupport {
    private static final int MAX_DEPTH = 20;
    private static final int MAX_ITEMS = 100_000;
    private static final java.io.PrintStream OUT = System.out;
    private static final java.io.PrintStream ERR = System.err;
    private static volatile long deadline = Long.MAX_VALUE;

    private final java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
    private final java.io.ByteArrayOutputStream err = new java.io.ByteArrayOutputStream();
    private final StringBuilder subjects = new StringBuilder();
    private String outcome;
    private boolean returned;

    static void main(String[] args, Class<?> probe) throws Exception {
        java.io.OutputStream report = new java.io.FileOutputStream(args[0], true);
        long limit = Long.parseLong(args[1]) * 1_000_000L;
        Thread watchdog = new Thread(() -> {
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
        });
        watchdog.setDaemon(true);
        deadline = System.nanoTime() + limit * 4;
        watchdog.start();
        for (int i = 2; i < args.length; i++) {
            write(report, "start\t" + args[i] + "\n");
            deadline = System.nanoTime() + limit;
            TestwrightProbeSupport support = new TestwrightProbeSupport();
            try {
                probe.getDeclaredMethod("case" + args[i], TestwrightProbeSupport.class).invoke(null, support);
            } catch (java.lang.reflect.InvocationTargetException e) {
                support.outcome = "{\"broken\":" + text(String.valueOf(e.getCause())) + "}";
            } catch (NoSuchMethodException e) {
                support.outcome = "{\"broken\":" + text("does not compile") + "}";
            }
            write(report, "{\"case\":" + args[i] + ",\"outcome\":" + support.outcome + ",\"subjects\":["
                    + support.subjects + "]}\n");
        }
        write(report, "done\n");
        Runtime.getRuntime().halt(0);
    }

    private static void write(java.io.OutputStream report, String line) throws java.io.IOException {
        report.write(line.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        report.flush();
    }

    void begin() throws Exception {
        System.setOut(new java.io.PrintStream(out, true, "UTF-8"));
        System.setErr(new java.io.PrintStream(err, true, "UTF-8"));
    }

    void end() {
        System.out.flush();
        System.err.flush();
        System.setOut(OUT);
        System.setErr(ERR);
    }

    void returned(String value) {
        outcome = "{\"returned\":" + value + "}";
        returned = true;
    }

    boolean hasReturned() {
        return returned;
    }

    /** The nearest class that a test in this package may name, the class itself, the message. */
    void thrown(Throwable thrown) {
        Class<?> nameable = thrown.getClass();
        while (!isNameable(nameable)) {
            nameable = nameable.getSuperclass();
        }
        String message;
        try {
            message = thrown.getMessage();
        } catch (Throwable again) {
            message = null;
        }
        StringBuilder json = new StringBuilder("{\"thrown\":{\"class\":");
        name(nameable, json);
        json.append(",\"exact\":").append(text(thrown.getClass().getName())).append(",\"message\":");
        json.append(message == null ? "null" : text(message)).append("}}");
        outcome = json.toString();
        returned = false;
    }

    private static boolean isNameable(Class<?> type) {
        if (type.isAnonymousClass() || type.isLocalClass() || type.isSynthetic()) {
            return false;
        }
        boolean here = packageOf(type).equals(packageOf(TestwrightProbeSupport.class));
        for (Class<?> c = type; c != null; c = c.getEnclosingClass()) {
            int modifiers = c.getModifiers();
            boolean open = java.lang.reflect.Modifier.isPublic(modifiers)
                    || here && !java.lang.reflect.Modifier.isPrivate(modifiers);
            if (!open) {
                return false;
            }
        }
        return here || !type.getName().startsWith("jdk.internal.") && !type.getName().startsWith("sun.");
    }

    void subject(String value) {
        subjects.append(subjects.length() == 0 ? "" : ",").append(value);
    }

    String stdout() throws Exception {
        return show(out.toString("UTF-8").replace(System.lineSeparator(), "\n"));
    }

    String stderr() throws Exception {
        return show(err.toString("UTF-8").replace(System.lineSeparator(), "\n"));
    }

    static String show(boolean value) {
        return value(primitive(value));
    }

    static String show(byte value) {
        return value(primitive(value));
    }

    static String show(short value) {
        return value(primitive(value));
    }

    static String show(char value) {
        return value(primitive(value));
    }

    static String show(int value) {
        return value(primitive(value));
    }

    static String show(long value) {
        return value(primitive(value));
    }

    static String show(float value) {
        return value(primitive(value));
    }

    static String show(double value) {
        return value(primitive(value));
    }

    static String show(Object value) {
        StringBuilder json = new StringBuilder();
        try {
            object(value, json, 0, new int[1]);
        } catch (Opaque e) {
            return "{\"opaque\":" + text(e.getMessage()) + "}";
        }
        return value(json.toString());
    }

    private static String value(String json) {
        return "{\"value\":" + json + "}";
    }

    /** Thrown for objects that cannot be shown as a value. */
    private static final class Opaque extends RuntimeException {
        Opaque(Object of) {
            super(of.getClass().getName(), null, false, false);
        }
    }

    private static String primitive(Object box) {
        if (box instanceof Boolean) {
            return "{\"Bool\":" + box + "}";
        } else if (box instanceof Byte) {
            return "{\"Byte\":" + box + "}";
        } else if (box instanceof Short) {
            return "{\"Short\":" + box + "}";
        } else if (box instanceof Character) {
            return "{\"Char\":" + (int) (Character) box + "}";
        } else if (box instanceof Integer) {
            return "{\"Int\":" + box + "}";
        } else if (box instanceof Long) {
            return "{\"Long\":" + box + "}";
        } else if (box instanceof Float) {
            return "{\"Float\":" + Integer.toUnsignedString(Float.floatToRawIntBits((Float) box)) + "}";
        } else if (box instanceof Double) {
            return "{\"Double\":" + Long.toUnsignedString(Double.doubleToRawLongBits((Double) box)) + "}";
        }
        return null;
    }

    private static void object(Object value, StringBuilder json, int depth, int[] items) {
        if (depth > MAX_DEPTH || ++items[0] > MAX_ITEMS) {
            throw new Opaque(value == null ? "" : value);
        }
        if (value == null) {
            json.append("\"Null\"");
            return;
        }
        String primitive = primitive(value);
        if (primitive != null) {
            json.append("{\"Boxed\":").append(primitive).append('}');
        } else if (value instanceof String) {
            json.append("{\"Str\":").append(text((String) value)).append('}');
        } else if (value instanceof Enum) {
            json.append("{\"Enum\":{\"class\":");
            name(((Enum) value).getDeclaringClass(), json);
            json.append(",\"constant\":").append(string(((Enum) value).name())).append("}}");
        } else if (value instanceof Class) {
            json.append("{\"Class\":");
            type((Class<?>) value, json);
            json.append('}');
        } else if (value.getClass().isArray()) {
            Class<?> elem = value.getClass().getComponentType();
            json.append("{\"Array\":{\"elem\":");
            type(elem, json);
            json.append(",\"items\":[");
            for (int i = 0; i < java.lang.reflect.Array.getLength(value); i++) {
                json.append(i == 0 ? "" : ",");
                Object item = java.lang.reflect.Array.get(value, i);
                if (elem.isPrimitive()) {
                    if (++items[0] > MAX_ITEMS) {
                        throw new Opaque(value);
                    }
                    json.append(primitive(item));
                } else {
                    object(item, json, depth + 1, items);
                }
            }
            json.append("]}}");
        } else if (!value.getClass().getName().startsWith("java.util.")) {
            throw new Opaque(value);
        } else if (value instanceof java.util.Optional) {
            json.append("{\"Optional\":");
            Object inner = ((java.util.Optional) value).orElse(null);
            if (inner == null) {
                json.append("null");
            } else {
                object(inner, json, depth + 1, items);
            }
            json.append('}');
        } else if (value instanceof java.util.List) {
            collection("List", (java.util.Collection) value, json, depth, items);
        } else if (value instanceof java.util.Set) {
            collection("Set", (java.util.Collection) value, json, depth, items);
        } else if (value instanceof java.util.Map) {
            json.append("{\"Map\":[");
            String comma = "";
            for (Object entry : ((java.util.Map) value).entrySet()) {
                json.append(comma).append('[');
                object(((java.util.Map.Entry) entry).getKey(), json, depth + 1, items);
                json.append(',');
                object(((java.util.Map.Entry) entry).getValue(), json, depth + 1, items);
                json.append(']');
                comma = ",";
            }
            json.append("]}");
        } else {
            throw new Opaque(value);
        }
    }

    private static void collection(
            String kind, java.util.Collection value, StringBuilder json, int depth, int[] items) {
        json.append("{\"").append(kind).append("\":[");
        String comma = "";
        for (Object item : value) {
            json.append(comma);
            object(item, json, depth + 1, items);
            comma = ",";
        }
        json.append("]}");
    }

    private static void type(Class<?> type, StringBuilder json) {
        if (type.isArray()) {
            json.append("{\"Array\":");
            type(type.getComponentType(), json);
            json.append('}');
        } else if (type.isPrimitive()) {
            String name = type == boolean.class ? "bool" : type.getName();
            json.append('"').append(Character.toUpperCase(name.charAt(0))).append(name.substring(1)).append('"');
        } else {
            json.append("{\"Class\":{\"name\":");
            name(type, json);
            json.append(",\"args\":[]}}");
        }
    }

    private static void name(Class<?> type, StringBuilder json) {
        StringBuilder path = new StringBuilder();
        for (Class<?> c = type; c != null; c = c.getEnclosingClass()) {
            path.insert(0, (c.getEnclosingClass() == null ? "" : ",") + string(topName(c)));
        }
        json.append("{\"package\":").append(string(packageOf(type))).append(",\"path\":[").append(path).append("]}");
    }

    private static String topName(Class<?> type) {
        return type.getEnclosingClass() == null
                ? type.getName().substring(type.getName().lastIndexOf('.') + 1)
                : type.getSimpleName();
    }

    private static String packageOf(Class<?> type) {
        int dot = type.getName().lastIndexOf('.');
        return dot < 0 ? "" : type.getName().substring(0, dot);
    }

    /** A string as its UTF-16 units, which survives whatever they are. */
    private static String text(String value) {
        StringBuilder json = new StringBuilder("[");
        for (int i = 0; i < value.length(); i++) {
            json.append(i == 0 ? "" : ",").append((int) value.charAt(i));
        }
        return json.append(']').toString();
    }

    private static String string(String value) {
        StringBuilder json = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c >= 32 && c < 127 && c != '"' && c != '\\') {
                json.append(c);
            } else {
                json.append(String.format("\\u%04x", (int) c));
            }
        }
        return json.append('"').toString();
    }
}
