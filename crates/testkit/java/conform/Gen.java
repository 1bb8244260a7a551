package conform;

import java.util.*;

/** Random and boundary values, the same for the same seed on every JVM: it uses nothing but arithmetic. */
public final class Gen {
    private static final int[] INTS = {
        0, 1, -1, 2, 3, 5, 7, 8, 10, 16, 31, 32, 63, 64, 100, 127, 128, -128, 255, 256, 1000, 32767, -32768, 65535,
        65536, 0x10ffff, Integer.MAX_VALUE, Integer.MIN_VALUE, Integer.MAX_VALUE - 1
    };
    private static final long[] LONGS = {
        0, 1, -1, 2, 10, 60, 1000, 86400, 1L << 31, -1L << 31, 1L << 32, 1L << 53, Long.MAX_VALUE, Long.MIN_VALUE,
        1_000_000_000L, 1_700_000_000_000L
    };
    private static final double[] DOUBLES = {
        0.0, -0.0, 1, -1, 0.5, -0.5, 2.5, 0.1, 1e-5, 1e7, 123456.789, Math.PI, 1e21, 1e-310, Double.MIN_VALUE,
        Double.MAX_VALUE, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 1e18, 0x1p63, 4.35, 1.005
    };
    private static final String[] STRINGS = {
        "", "a", "b", "ab", "abc", "Hello, world", " ", "  trim me\t", "0", "1", "-1", "12", "+7", "007", "3.14", "-2.5e3",
        "2147483647", "2147483648", "-9223372036854775808", "0x1F", "ff", "true", "TRUE", "false", "null", "NaN",
        "2024-02-29", "2023-12-31", "10:15", "10:15:30", "2024-02-29T10:15:30", "2024-02-29T10:15:30Z",
        "2024-02-29T10:15:30+01:00", "P1Y2M3D", "PT1H30M", "-PT0.5S", "Europe/Berlin", "UTC", "+02:00", "MONDAY",
        "%d", "%s and %s", "%5.2f", "%08x", "%,d", "{0}", "{0,number} {1}", "#,##0.00", "0.###", "yyyy-MM-dd",
        "HH:mm:ss", "EEEE, d MMMM uuuu", "[a-c]+", "a+b*", "(\\w+)\\s(\\w+)", "\\d{2,3}", "^x|y$", "(?<n>a)b", "a(",
        "one two three", "a,b;c", "key=value", "line1\nline2\r\nline3", "\u00e9\u00df", "\u65e5\u672c", "\ud83d\ude00",
        "\ud800", "A\u0301", "aaa", "zebra", "Zebra", "\u0130i\u0131", "UTF-8", "US-ASCII", "ISO-8859-1", "en-US", "de",
        "java.lang.String", "{0,choice,0#none|1#one|1<many}", "0#low|1#high", "SGVsbG8=", "not a date",
        "123e4567-e89b-12d3-a456-426614174000", "x".repeat(40)
    };

    private long state;
    private int depth;
    /** Fields for field updaters. */
    public volatile int number;
    public volatile long wide;
    public volatile Object any;
    /** Set when arguments are made and the method itself is called. */
    public boolean started;

    public Gen(long seed) {
        state = seed * 0x9E3779B97F4A7C15L + 0x1234567;
        bits();
        bits();
    }

    public long bits() {
        state += 0x9E3779B97F4A7C15L;
        long x = state;
        x = (x ^ (x >>> 30)) * 0xBF58476D1CE4E5B9L;
        x = (x ^ (x >>> 27)) * 0x94D049BB133111EBL;
        return x ^ (x >>> 31);
    }

    /** Below n. */
    public int next(int n) {
        return n <= 1 ? 0 : (int) ((bits() >>> 33) % n);
    }

    public int range(int from, int to) {
        return from + next(to - from + 1);
    }

    /** Whether a producer may still use others. */
    public boolean deeper() {
        return ++depth <= 3;
    }

    public void up() {
        depth--;
    }

    /** Arguments are null now and then. */
    public boolean isNull() {
        return next(16) == 0;
    }

    public boolean z() {
        return next(2) == 0;
    }

    public int i() {
        switch (next(10)) {
            case 0: case 1: return INTS[next(INTS.length)];
            case 2: return range(-1000, 1000);
            case 3: return next(3) == 0 ? (int) bits() : range(0, 100);
            default: return range(-1, 9);
        }
    }

    public long j() {
        switch (next(8)) {
            case 0: case 1: return LONGS[next(LONGS.length)];
            case 2: return bits();
            case 3: return range(-100000, 100000);
            case 4: return (long) range(0, 1 << 30) * range(1, 5000);
            default: return range(-2, 12);
        }
    }

    public double d() {
        switch (next(6)) {
            case 0: case 1: return DOUBLES[next(DOUBLES.length)];
            case 2: return Double.longBitsToDouble(bits());
            case 3: return range(-1000, 1000) / 8.0;
            case 4: return range(-100000, 100000) / 100.0;
            default: return range(-5, 12);
        }
    }

    public float f() {
        return next(5) == 0 ? Float.intBitsToFloat((int) bits()) : (float) d();
    }

    public byte b() {
        return (byte) i();
    }

    public short s() {
        return (short) i();
    }

    public char c() {
        switch (next(6)) {
            case 0: return (char) bits();
            case 1: return " \t\n.,%-_/\\\"'0".charAt(next(13));
            case 2: return (char) range('0', '9');
            case 3: return (char) range('A', 'Z');
            default: return (char) range('a', 'f');
        }
    }

    public String str() {
        switch (next(8)) {
            case 0: {
                StringBuilder text = new StringBuilder();
                for (int n = next(7); n > 0; n--) {
                    text.append(c());
                }
                return text.toString();
            }
            case 1: return STRINGS[next(STRINGS.length)] + STRINGS[next(STRINGS.length)];
            case 2: return Integer.toString(i());
            default: return STRINGS[next(STRINGS.length)];
        }
    }

    /** A value with equality: what programs put into collections. */
    public Object obj() {
        switch (next(12)) {
            case 0: case 1: case 2: case 3: return str();
            case 4: case 5: case 6: return i();
            case 7: return j();
            case 8: return d();
            case 9: return c();
            case 10: return z();
            default: return deeperList();
        }
    }

    @Override
    public String toString() {
        return "gen " + number + " " + wide + " " + Show.text(any);
    }

    private Object deeperList() {
        List<Object> list = new ArrayList<>();
        for (int n = next(3); n > 0; n--) {
            list.add(next(20));
        }
        return list;
    }

    public int size() {
        return next(8) == 0 ? range(0, 20) : range(0, 4);
    }

    /** Elements that can be compared with each other, mostly. */
    public Object[] elements() {
        Object[] all = new Object[size()];
        int kind = next(8);
        for (int k = 0; k < all.length; k++) {
            all[k] = kind < 3 ? (Object) range(-3, 12) : kind < 6 ? str() : kind == 6 ? (Object) j() : nullable();
        }
        return all;
    }

    private Object nullable() {
        return isNull() ? null : obj();
    }

    public Collection<Object> collection() {
        return next(3) == 0 ? set() : list();
    }

    public List<Object> list() {
        Object[] all = elements();
        switch (next(5)) {
            case 0: return new LinkedList<>(Arrays.asList(all));
            case 1: return Arrays.asList(all);
            case 2: return Collections.unmodifiableList(new ArrayList<>(Arrays.asList(all)));
            default: return new ArrayList<>(Arrays.asList(all));
        }
    }

    public Set<Object> set() {
        return next(3) == 0 ? sortedSet() : next(2) == 0 ? new HashSet<>(list()) : new LinkedHashSet<>(list());
    }

    public TreeSet<Object> sortedSet() {
        TreeSet<Object> set = new TreeSet<>(next(3) == 0 ? (Comparator<Object>) (Comparator<?>) Comparator.reverseOrder() : null);
        boolean text = z();
        for (int n = size(); n > 0; n--) {
            set.add(text ? (Object) str() : (Object) range(-5, 15));
        }
        return set;
    }

    public <M extends Map<Object, Object>> M fill(M map) {
        boolean text = z();
        for (int n = size(); n > 0; n--) {
            map.put(text ? (Object) str() : (Object) range(-5, 15), obj());
        }
        return map;
    }

    public Map<Object, Object> map() {
        switch (next(4)) {
            case 0: return fill(new TreeMap<>());
            case 1: return fill(new LinkedHashMap<>());
            default: return fill(new HashMap<>());
        }
    }

    public Class<?> type() {
        Class<?>[] all = {
            Object.class, String.class, Integer.class, int.class, int[].class, String[].class, List.class, ArrayList.class,
            Map.Entry.class, Thread.State.class, Override.class, Comparable.class, void.class, double[][].class
        };
        return all[next(all.length)];
    }

    public Locale locale() {
        Locale[] all = {Locale.US, Locale.ROOT, Locale.GERMANY, Locale.FRANCE, Locale.ENGLISH, Locale.JAPAN};
        return all[next(3) == 0 ? next(all.length) : next(2)];
    }

    public Calendar calendar() {
        Calendar calendar = new GregorianCalendar(TimeZone.getTimeZone("UTC"), Locale.US);
        calendar.setTimeInMillis(range(-1000000, 2000000) * 1000000L);
        return calendar;
    }

    public java.util.regex.MatchResult matched() {
        java.util.regex.Matcher matcher = java.util.regex.Pattern.compile("(?<n>[a-z]+)(\\d*)").matcher(str() + "abc12 x");
        matcher.find();
        return matcher.toMatchResult();
    }

    public java.text.BreakIterator breaks() {
        java.text.BreakIterator breaks = z() ? java.text.BreakIterator.getWordInstance(Locale.US)
            : java.text.BreakIterator.getSentenceInstance(Locale.US);
        breaks.setText("One two. Three " + str());
        return breaks;
    }

    public java.io.ObjectInputStream serial() throws java.io.IOException {
        java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
        java.io.ObjectOutputStream out = new java.io.ObjectOutputStream(bytes);
        out.writeInt(i());
        out.writeObject(obj());
        out.close();
        return new java.io.ObjectInputStream(new java.io.ByteArrayInputStream(bytes.toByteArray()));
    }

    /** What reads the fields of an object that is read back. */
    public java.io.ObjectInputStream.GetField fields() throws Exception {
        java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
        java.io.ObjectOutputStream out = new java.io.ObjectOutputStream(bytes);
        Fielded fielded = new Fielded();
        fielded.number = i();
        fielded.text = str();
        out.writeObject(fielded);
        out.close();
        java.io.ByteArrayInputStream in = new java.io.ByteArrayInputStream(bytes.toByteArray());
        return ((Fielded) new java.io.ObjectInputStream(in).readObject()).read;
    }

    /** What writes the fields of an object. */
    public java.io.ObjectOutputStream.PutField puts() throws Exception {
        Fielded fielded = new Fielded();
        new java.io.ObjectOutputStream(new java.io.ByteArrayOutputStream()).writeObject(fielded);
        return fielded.written;
    }

    private static final class Fielded implements java.io.Serializable {
        private static final long serialVersionUID = 1;
        int number;
        String text;
        transient java.io.ObjectInputStream.GetField read;

        transient java.io.ObjectOutputStream.PutField written;

        private void writeObject(java.io.ObjectOutputStream out) throws java.io.IOException {
            written = out.putFields();
            written.put("number", number);
            written.put("text", text);
            out.writeFields();
        }

        private void readObject(java.io.ObjectInputStream in) throws java.io.IOException, ClassNotFoundException {
            read = in.readFields();
        }
    }

    public java.util.concurrent.locks.Condition condition() {
        java.util.concurrent.locks.ReentrantLock lock = new java.util.concurrent.locks.ReentrantLock();
        lock.lock();
        return lock.newCondition();
    }

    public Spliterators.AbstractSpliterator<Object> splits() {
        Iterator<Object> items = list().iterator();
        return new Spliterators.AbstractSpliterator<>(9, Spliterator.ORDERED) {
            @Override
            public boolean tryAdvance(java.util.function.Consumer<? super Object> action) {
                if (items.hasNext()) {
                    action.accept(items.next());
                    return true;
                }
                return false;
            }
        };
    }

    // Results of made-up functions depend on their arguments only.

    public static int hash(int salt, Object... arguments) {
        int h = salt * 31;
        for (Object argument : arguments) {
            h = h * 31 + (argument == null ? 0 : Show.text(argument).hashCode());
        }
        return h;
    }

    public interface Maker<T> {
        T make() throws Throwable;
    }

    /** For functions whose results are objects. */
    public static <T> T made(Maker<T> maker) {
        try {
            return maker.make();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    public static Object result(int salt, Object... arguments) {
        switch (Math.floorMod(salt, 5)) {
            case 0: return arguments.length == 0 ? (Object) "s" : arguments[0];
            case 1: return arguments.length == 0 ? (Object) 1 : arguments[arguments.length - 1];
            case 2: return "r" + Math.floorMod(hash(salt, arguments), 7);
            case 3: return Math.floorMod(hash(salt, arguments), 5);
            default: return arguments.length == 0 ? null : String.valueOf(arguments[0]);
        }
    }
}
