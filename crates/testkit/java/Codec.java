import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

/**
 * Text form of values, one token without spaces each.
 *
 * <pre>
 *   v                      void
 *   n                      null
 *   Z1 B-1 S7 C0041 I5 J5  primitives (char in hex)
 *   F7fc00000 D...         floats as raw bits in hex
 *   bI5                    a box: 'b' and the primitive
 *   s00410042              a string: four hex digits a UTF-16 unit
 *   [I{I1,I2}              an array: element descriptor, elements
 *   eLfx/enums/Color;RED   an enum constant
 *   ojava.util.List#0041   any other object: class, and its toString in hex ('-' when it has none)
 * </pre>
 */
final class Codec {
    /** Beyond this many nodes or characters an answer says "too large" instead of flooding the pipe. */
    private static final int LIMIT = 200_000;
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    static final class TooLarge extends RuntimeException {
        TooLarge() {
            super("the value is too large to be sent", null, false, false);
        }
    }

    private Codec() {}

    // ---- writing

    static void write(StringBuilder out, Object value, boolean primitive) {
        write(out, value, primitive, out.length(), 0);
    }

    static void writeList(StringBuilder out, Object[] values, Class<?>[] types) {
        out.append('(');
        for (int i = 0; i < values.length; i++) {
            if (i > 0) {
                out.append(',');
            }
            write(out, values[i], types[i].isPrimitive());
        }
        out.append(')');
    }

    /** Instance fields of an object, superclasses first, as {@code {name=value,...}}. */
    static void writeFields(StringBuilder out, Object object) throws IllegalAccessException {
        List<Class<?>> chain = new ArrayList<>();
        for (Class<?> c = object.getClass(); c != null && c != Object.class; c = c.getSuperclass()) {
            chain.add(0, c);
        }
        out.append('{');
        boolean first = true;
        for (Class<?> c : chain) {
            if (c.getClassLoader() == null) {
                continue; // fields of JDK classes are closed to reflection
            }
            for (Field field : c.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) || field.isSynthetic()) {
                    continue;
                }
                field.setAccessible(true);
                if (!first) {
                    out.append(',');
                }
                first = false;
                out.append(field.getName()).append('=');
                write(out, field.get(object), field.getType().isPrimitive());
            }
        }
        out.append('}');
    }

    private static void write(StringBuilder out, Object value, boolean primitive, int start, int depth) {
        if (out.length() - start > 8 * LIMIT) {
            throw new TooLarge();
        }
        if (value == null) {
            out.append('n');
        } else if (value instanceof String) {
            out.append('s');
            hex(out, (String) value);
        } else if (isBox(value.getClass())) {
            if (!primitive) {
                out.append('b');
            }
            writePrimitive(out, value);
        } else if (value instanceof Enum) {
            Enum<?> constant = (Enum<?>) value;
            out.append('e').append(constant.getDeclaringClass().descriptorString()).append(constant.name());
        } else if (value.getClass().isArray() && depth < 8) {
            Class<?> element = value.getClass().getComponentType();
            int length = Array.getLength(value);
            if (length > LIMIT) {
                throw new TooLarge();
            }
            out.append('[').append(element.descriptorString()).append('{');
            for (int i = 0; i < length; i++) {
                if (i > 0) {
                    out.append(',');
                }
                write(out, Array.get(value, i), element.isPrimitive(), start, depth + 1);
            }
            out.append('}');
        } else {
            out.append('o').append(className(value.getClass())).append('#');
            String text = overriddenText(value);
            if (text == null) {
                out.append('-');
            } else {
                hex(out, text);
            }
        }
    }

    private static void writePrimitive(StringBuilder out, Object box) {
        if (box instanceof Integer) {
            out.append('I').append((int) (Integer) box);
        } else if (box instanceof Long) {
            out.append('J').append((long) (Long) box);
        } else if (box instanceof Boolean) {
            out.append((Boolean) box ? "Z1" : "Z0");
        } else if (box instanceof Character) {
            out.append('C');
            unit(out, (Character) box);
        } else if (box instanceof Byte) {
            out.append('B').append((int) (Byte) box);
        } else if (box instanceof Short) {
            out.append('S').append((int) (Short) box);
        } else if (box instanceof Float) {
            out.append('F').append(Integer.toHexString(Float.floatToRawIntBits((Float) box)));
        } else {
            out.append('D').append(Long.toHexString(Double.doubleToRawLongBits((Double) box)));
        }
    }

    static void hex(StringBuilder out, String text) {
        if (text.length() > LIMIT) {
            throw new TooLarge();
        }
        for (int i = 0; i < text.length(); i++) {
            unit(out, text.charAt(i));
        }
    }

    private static void unit(StringBuilder out, char c) {
        out.append(HEX[c >> 12]).append(HEX[c >> 8 & 15]).append(HEX[c >> 4 & 15]).append(HEX[c & 15]);
    }

    /** Names of hidden classes carry an address and a counter; neither is stable. */
    static String className(Class<?> c) {
        String name = c.getName();
        int lambda = name.indexOf("$$Lambda");
        return lambda >= 0 ? name.substring(0, lambda + 8) : name;
    }

    private static String overriddenText(Object value) {
        try {
            if (value.getClass().getMethod("toString").getDeclaringClass() == Object.class) {
                return null;
            }
            return String.valueOf(value.toString());
        } catch (Throwable t) {
            return null;
        }
    }

    private static boolean isBox(Class<?> c) {
        return c == Integer.class || c == Long.class || c == Boolean.class || c == Character.class
                || c == Byte.class || c == Short.class || c == Float.class || c == Double.class;
    }

    // ---- reading

    /** Reads one token from left to right; classes are found in the given world. */
    static final class Reader {
        private final String text;
        private final ClassLoader world;
        private int at;

        Reader(String text, ClassLoader world) {
            this.text = text;
            this.world = world;
        }

        Object[] list() throws ClassNotFoundException {
            expect('(');
            List<Object> values = items(')');
            return values.toArray();
        }

        Object value() throws ClassNotFoundException {
            char kind = text.charAt(at++);
            switch (kind) {
                case 'n':
                    return null;
                case 'b':
                    return value(); // reflection boxes anyway
                case 'Z':
                    return word().equals("1");
                case 'B':
                    return Byte.valueOf(word());
                case 'S':
                    return Short.valueOf(word());
                case 'C':
                    return (char) Integer.parseInt(word(), 16);
                case 'I':
                    return Integer.valueOf(word());
                case 'J':
                    return Long.valueOf(word());
                case 'F':
                    return Float.intBitsToFloat(Integer.parseUnsignedInt(word(), 16));
                case 'D':
                    return Double.longBitsToDouble(Long.parseUnsignedLong(word(), 16));
                case 's':
                    return string(word());
                case 'e':
                    return enumConstant();
                case '[':
                    return array();
                default:
                    throw new IllegalArgumentException("value of kind '" + kind + "' cannot be an input");
            }
        }

        private Object array() throws ClassNotFoundException {
            int open = text.indexOf('{', at);
            Class<?> element = Types.of(text.substring(at, open), world);
            at = open + 1;
            List<Object> values = items('}');
            Object array = Array.newInstance(element, values.size());
            for (int i = 0; i < values.size(); i++) {
                Array.set(array, i, values.get(i));
            }
            return array;
        }

        @SuppressWarnings({"unchecked", "rawtypes"})
        private Object enumConstant() throws ClassNotFoundException {
            int semicolon = text.indexOf(';', at);
            Class type = Types.of(text.substring(at, semicolon + 1), world);
            at = semicolon + 1;
            return Enum.valueOf(type, word());
        }

        private List<Object> items(char close) throws ClassNotFoundException {
            List<Object> values = new ArrayList<>();
            if (text.charAt(at) == close) {
                at++;
                return values;
            }
            while (true) {
                values.add(value());
                char c = text.charAt(at++);
                if (c == close) {
                    return values;
                }
                if (c != ',') {
                    throw new IllegalArgumentException("',' or '" + close + "' expected at " + (at - 1));
                }
            }
        }

        private String word() {
            int start = at;
            while (at < text.length() && ",})".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            return text.substring(start, at);
        }

        private void expect(char c) {
            if (text.charAt(at++) != c) {
                throw new IllegalArgumentException("'" + c + "' expected at " + (at - 1));
            }
        }
    }

    private static String string(String hex) {
        char[] units = new char[hex.length() / 4];
        for (int i = 0; i < units.length; i++) {
            units[i] = (char) Integer.parseInt(hex.substring(4 * i, 4 * i + 4), 16);
        }
        // As a literal in a test would be: equal strings are the same object.
        return new String(units).intern();
    }
}
