package conform;

import java.nio.*;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;

/** Values as text, by what their public methods tell. It runs in both machines, so the texts can be compared. */
public final class Show {
    private static final int MOST = 24;
    private static final int LONGEST = 3000;

    private final StringBuilder out = new StringBuilder();

    public static String text(Object value) {
        Show show = new Show();
        show.put(value, 0);
        return show.out.toString();
    }

    private void put(Object value, int depth) {
        if (out.length() > LONGEST || depth > 4) {
            out.append("...");
            return;
        }
        try {
            known(value, depth);
        } catch (StackOverflowError | OutOfMemoryError e) {
            throw e;
        } catch (Throwable t) {
            out.append('!').append(t.getClass().getName());
        }
    }

    private void known(Object value, int depth) {
        if (value == null) {
            out.append("null");
        } else if (value instanceof String) {
            quote((String) value);
        } else if (value instanceof Boolean || value instanceof Integer) {
            out.append(value);
        } else if (value instanceof Character) {
            out.append('\'').append((int) (Character) value);
        } else if (value instanceof Double) {
            out.append('d').append(value);
        } else if (value instanceof Float) {
            out.append('f').append(value);
        } else if (value instanceof Enum) {
            out.append(((Enum<?>) value).getDeclaringClass().getName()).append('.').append(((Enum<?>) value).name());
        } else if (value instanceof Class) {
            out.append(className((Class<?>) value));
        } else if (value instanceof Throwable) {
            out.append(value.getClass().getName()).append(':');
            quote(String.valueOf(((Throwable) value).getMessage()));
        } else if (value.getClass().isArray()) {
            array(value, depth);
        } else if (value.getClass().getName().equals("java.time.format.Parsed")) {
            // Its text shows a map in the order of identity hashes.
            String[] words = value.toString().split("[{},\\s]+");
            Arrays.sort(words);
            named(value).append(String.join(" ", words));
        } else if (value instanceof Thread) {
            // Its text has its number since Java 19, and the JVM's calls are made in a later thread.
            quote(named(value).append(':'), ((Thread) value).getName());
        } else if (value instanceof Number) {
            named(value).append(value);
        } else if (value instanceof CharSequence) {
            quote(named(value).append(':'), value.toString());
        } else if (value instanceof Buffer) {
            buffer((Buffer) value);
        } else if (value instanceof Map) {
            map((Map<?, ?>) value, depth);
        } else if (value instanceof Collection) {
            each(named(value), ordered((Collection<?>) value), depth);
        } else if (value instanceof Map.Entry) {
            Map.Entry<?, ?> entry = (Map.Entry<?, ?>) value;
            put(entry.getKey(), depth + 1);
            out.append('=');
            put(entry.getValue(), depth + 1);
        } else if (value instanceof Iterator) {
            each(out.append("iterator"), (Iterator<?>) value, depth);
        } else if (value instanceof Enumeration && !(value instanceof StringTokenizer)) {
            each(out.append("enumeration"), ((Enumeration<?>) value).asIterator(), depth);
        } else if (value instanceof Spliterator) {
            each(out.append("spliterator"), Spliterators.iterator((Spliterator<?>) value), depth);
        } else if (value instanceof BaseStream) {
            each(out.append("stream"), ((BaseStream<?, ?>) value).iterator(), depth);
        } else if (value instanceof OptionalInt || value instanceof Optional) {
            out.append(value instanceof OptionalInt ? value : "Optional");
            if (value instanceof Optional) {
                put(((Optional<?>) value).orElse(null), depth + 1);
            }
        } else if (!function(value, depth)) {
            quote(named(value).append(':'), value.toString());
        }
    }

    /** The order of a hash set is by hashes, and those of objects without their own differ from machine to machine. */
    private static Iterator<?> ordered(Collection<?> items) {
        if (!(items instanceof HashSet) || items instanceof LinkedHashSet) {
            return items.iterator();
        }
        for (Object item : items) {
            if (!(item == null || item instanceof String || item instanceof Number || item instanceof Character
                || item instanceof Boolean || item instanceof List)) {
                List<String> texts = new ArrayList<>();
                items.forEach(each -> texts.add(text(each)));
                Collections.sort(texts);
                return texts.iterator();
            }
        }
        return items.iterator();
    }

    /** Functions are shown by what they do to a few values. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private boolean function(Object value, int depth) {
        if (value instanceof Comparator) {
            Comparator<Object> c = (Comparator) value;
            out.append("comparator");
            attempt(() -> c.compare(1, 2), depth);
            attempt(() -> c.compare("b", "a"), depth);
            attempt(() -> c.compare("a", null), depth);
        } else if (value instanceof Function) {
            Function f = (Function) value;
            out.append("function");
            attempt(() -> f.apply("a"), depth);
            attempt(() -> f.apply(3), depth);
        } else if (value instanceof Predicate) {
            Predicate p = (Predicate) value;
            out.append("predicate");
            attempt(() -> p.test("a"), depth);
            attempt(() -> p.test(3), depth);
            attempt(() -> p.test(null), depth);
        } else if (value instanceof BiFunction) {
            BiFunction f = (BiFunction) value;
            attempt(() -> f.apply("a", "b"), depth);
            attempt(() -> f.apply(3, 4), depth);
        } else if (value instanceof BiPredicate) {
            attempt(() -> ((BiPredicate) value).test("a", 3), depth);
        } else if (value instanceof IntPredicate) {
            attempt(() -> ((IntPredicate) value).test(3), depth);
        } else if (value instanceof LongPredicate) {
            attempt(() -> ((LongPredicate) value).test(3), depth);
        } else if (value instanceof DoublePredicate) {
            attempt(() -> ((DoublePredicate) value).test(3), depth);
        } else if (value instanceof IntUnaryOperator) {
            attempt(() -> ((IntUnaryOperator) value).applyAsInt(3), depth);
        } else if (value instanceof LongUnaryOperator) {
            attempt(() -> ((LongUnaryOperator) value).applyAsLong(3), depth);
        } else if (value instanceof DoubleUnaryOperator) {
            attempt(() -> ((DoubleUnaryOperator) value).applyAsDouble(3), depth);
        } else if (value instanceof Supplier) {
            attempt(() -> ((Supplier) value).get(), depth);
        } else if (value instanceof Collector) {
            Collector<Object, Object, Object> c = (Collector) value;
            out.append("collector");
            attempt(() -> Stream.of("a", "bb", "a").collect(c), depth);
            attempt(() -> Stream.of(1, 2, 3).collect(c), depth);
        } else {
            return value.getClass().isSynthetic() && anonymous();
        }
        return true;
    }

    private boolean anonymous() {
        out.append("lambda");
        return true;
    }

    private void attempt(Supplier<Object> what, int depth) {
        out.append(' ');
        Object result;
        try {
            result = what.get();
        } catch (RuntimeException e) {
            out.append('!').append(e.getClass().getName());
            return;
        }
        put(result, depth + 1);
    }

    private StringBuilder named(Object value) {
        return out.append(className(value.getClass()));
    }

    /** Classes that a machine makes up have names of its own. */
    private static String className(Class<?> type) {
        return type.isSynthetic() ? "lambda" : type.getName();
    }

    private void array(Object array, int depth) {
        int length = java.lang.reflect.Array.getLength(array);
        out.append(array.getClass().getComponentType().getName()).append('[');
        for (int k = 0; k < length && k < 200; k++) {
            if (k > 0) {
                out.append(", ");
            }
            put(java.lang.reflect.Array.get(array, k), depth + 1);
        }
        out.append(length > 200 ? "...]" : "]");
    }

    private void each(StringBuilder out, Iterator<?> items, int depth) {
        out.append('[');
        for (int k = 0; k < MOST && items.hasNext(); k++) {
            if (k > 0) {
                out.append(", ");
            }
            put(items.next(), depth + 1);
        }
        out.append(']');
    }

    private void map(Map<?, ?> map, int depth) {
        named(map).append('{');
        int k = 0;
        Map<?, ?> shown = map;
        // In a weak map an object without a hash of its own stands for null.
        if (map instanceof IdentityHashMap || map instanceof WeakHashMap && map.containsKey(null)) {
            TreeMap<String, Object> sorted = new TreeMap<>();
            map.forEach((key, value) -> sorted.put(text(key) + text(value), value));
            shown = sorted;
        }
        for (Map.Entry<?, ?> entry : shown.entrySet()) {
            if (k++ == MOST) {
                break;
            }
            put(entry, depth);
            out.append(", ");
        }
        out.append('}');
    }

    private void buffer(Buffer buffer) {
        named(buffer).append('@').append(buffer.position()).append('/').append(buffer.limit()).append('/');
        out.append(buffer.capacity()).append('[');
        for (int k = 0; k < buffer.limit() && k < 64; k++) {
            if (buffer instanceof ByteBuffer) {
                out.append(((ByteBuffer) buffer).get(k));
            } else if (buffer instanceof CharBuffer) {
                CharBuffer whole = ((CharBuffer) buffer).duplicate();
                whole.position(0);
                out.append((int) whole.get(k));
            } else if (buffer instanceof IntBuffer) {
                out.append(((IntBuffer) buffer).get(k));
            } else if (buffer instanceof LongBuffer) {
                out.append(((LongBuffer) buffer).get(k));
            } else if (buffer instanceof ShortBuffer) {
                out.append(((ShortBuffer) buffer).get(k));
            } else if (buffer instanceof DoubleBuffer) {
                out.append(((DoubleBuffer) buffer).get(k));
            } else if (buffer instanceof FloatBuffer) {
                out.append(((FloatBuffer) buffer).get(k));
            }
            out.append(' ');
        }
        out.append(']');
    }

    private void quote(String text) {
        quote(out, text);
    }

    private static void quote(StringBuilder out, String text) {
        out.append('"');
        for (int k = 0; k < text.length() && k < LONGEST; k++) {
            char c = text.charAt(k);
            if (c >= ' ' && c < 127 && c != '\\' && c != '"') {
                out.append(c);
            } else {
                out.append("\\u").append(Integer.toHexString(c)).append(';');
            }
        }
        out.append('"');
    }
}
