import java.util.*; import java.util.function.*; import java.util.stream.*; import java.util.concurrent.*; import java.util.concurrent.atomic.*; import java.lang.reflect.*; import java.lang.invoke.*;
import java.time.*; import java.math.*; import java.text.*; import java.util.regex.*; import java.io.*; import java.nio.*; import java.nio.charset.*;
/** Of everything a little, in Java 8: run on 8 where there is one, and on the others. */
public class Java8 {
    private static void p(Object o) {
        StringBuilder text = new StringBuilder();
        for (char c : String.valueOf(o).toCharArray()) {
            text.append(c < 127 ? String.valueOf(c) : "\\u" + (int) c);
        }
        System.out.println(text);
    }

    public static void text() {
        StringBuilder b = new StringBuilder("abc");
        b.append(1).append('x').append(2.5).insert(0, "\u00e9\u20ac");
        p(b.reverse());
        p("Hello".toUpperCase() + "x".length());
        p(String.join(",", "a", "b"));
        p("a,b,,c".split(",").length);
        p(new String("\u00e4\u00f6\u00fc".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1));
        p("abc".hashCode());
        p("x".intern() == "x");
        p("  trim ".trim());
        p("abc".indexOf("c"));
        p("abc".compareTo("abd"));
        p("AbC".equalsIgnoreCase("aBc"));
        p("stra\u00dfe".toUpperCase(Locale.GERMANY));
        p("a".concat("b").replace('a', 'c'));
        p("aXbX".replaceAll("X", "-"));
        p("abc".contains("bc"));
        p("abc".substring(1,2));
        p(new String(new char[]{'a','\u20ac'}));
        p("x".getBytes().length);
        p(Arrays.toString("h\u00e9\u00e9".toCharArray()));
    }

    public static void fmt() {
        p(String.format("%5d|%-5s|%05.2f|%x|%,d|%e", 42, "ab", 3.14159, 255, 1234567, 12345.678));
        p(MessageFormat.format("{0} is {1,number}", "x", 3));
        p(new DecimalFormat("#,##0.00").format(12345.678));
        p(new SimpleDateFormat("yyyy-MM-dd", Locale.US).format(new Date(0)));
        p(NumberFormat.getCurrencyInstance(Locale.US).format(3.5));
    }

    public static void re() {
        Matcher m = Pattern.compile("(\\w+)@(\\w+)\\.com").matcher("joe@acme.com");
        p(m.matches() + m.group(1));
        p(new Scanner("1 2 x").nextInt());
    }

    public static void coll() {
        Map<String,Integer> m = new HashMap<>();
        m.put("a",1);
        m.merge("a",5,Integer::sum);
        p(m);
        p(new TreeMap<>(m));
        p(Arrays.asList(3,1,2).stream().sorted().map(x -> x * 2).collect(Collectors.toList()));
        p(IntStream.range(0, 10).filter(i -> i % 2 == 0).sum());
        p(Stream.of("a","bb","cc").collect(Collectors.groupingBy(String::length)));
        p(new PriorityQueue<>(Arrays.asList(3,1,2)).poll());
        p(EnumSet.of(DayOfWeek.MONDAY));
        p(new ConcurrentHashMap<>(m));
        p(Optional.of(3).map(x -> x + 1));
        p(new BitSet(8));
        p(new ArrayDeque<>(Arrays.asList(1,2)));
        p(Collections.unmodifiableList(Arrays.asList(1)));
        p(new LinkedHashMap<>(m).entrySet());
        p(UUID.nameUUIDFromBytes("x".getBytes()));
        p(Base64.getEncoder().encodeToString("hello".getBytes()));
        p(new Properties());
        p(new StringJoiner("-").add("a").add("b"));
    }

    public static void time() {
        p(LocalDate.of(2020,2,28).plusDays(2));
        p(Duration.ofSeconds(100));
        p(ZonedDateTime.of(2020,1,1,0,0,0,0,ZoneId.of("Europe/Paris")).toInstant());
        p(LocalDate.parse("2020-01-02").getDayOfWeek());
        p(java.time.format.DateTimeFormatter.ofPattern("dd MMM yyyy", Locale.US).format(LocalDate.of(2020,5,6)));
    }

    public static void math() {
        p(new BigDecimal("1.10").add(new BigDecimal("2.205")).setScale(2, RoundingMode.HALF_UP));
        p(BigInteger.valueOf(2).pow(100));
        p(Math.floorMod(-3, 5));
        p(Math.sqrt(2));
        p(Integer.toBinaryString(10));
        p(Long.parseLong("123"));
        p(Double.toString(0.1+0.2));
        p(Integer.parseInt("-12"));
        p(Double.parseDouble("1e10"));
        p(Math.sin(1));
        p(StrictMath.pow(2.5, 3));
        p(Float.toString(1.1f));
    }

    public static void thr() throws Throwable {
        ExecutorService e = Executors.newFixedThreadPool(2);
        Future<Integer> f = e.submit(() -> 42);
        p(f.get());
        e.shutdown();
        p(CompletableFuture.supplyAsync(() -> 3).thenApply(x -> x + 1).get());
        AtomicInteger a = new AtomicInteger();
        Thread t = new Thread(a::incrementAndGet);
        t.start();
        t.join();
        p(a);
        AtomicLong l = new AtomicLong(3);
        p(l.getAndAdd(3));
        p(new java.util.concurrent.locks.ReentrantLock().tryLock());
    }

    interface G { String hi(String n); }
    enum E { A, B { @Override int v() { return 2; } }; int v() { return 1; } }
    @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) @interface An { int value() default 3; }
    @An(7) public static class Bean { private int x = 3; public int getX() { return x; } public Bean() {} }
    public static void refl() throws Throwable {
        p(Bean.class.getAnnotation(An.class).value());
        Bean b = Bean.class.newInstance();
        p(Bean.class.getMethod("getX").invoke(b));
        Field f = Bean.class.getDeclaredField("x");
        f.setAccessible(true);
        f.setInt(b, 9);
        p(b.getX());
        p(E.valueOf("B").v());
        p(Arrays.toString(E.values()));
        G g = (G) Proxy.newProxyInstance(Java8.class.getClassLoader(), new Class<?>[]{G.class}, (pr, m, a) -> m.getName() + a[0]);
        p(g.hi("x"));
        p(Class.forName("java.util.ArrayList").newInstance());
        p(Array.newInstance(int.class, 3).getClass());
        p(Java8.class.getSimpleName() + Bean.class.getName());
        p(Modifier.toString(Bean.class.getModifiers()));
        MethodHandle h = MethodHandles.lookup().findVirtual(String.class, "length", MethodType.methodType(int.class));
        p((int) h.invokeExact("abc"));
        p(h.invoke("abcd"));
        MethodHandle h2 = MethodHandles.lookup().findStatic(Math.class, "max", MethodType.methodType(int.class,int.class,int.class));
        p(h2.invoke(3,4));
        p(MethodHandles.insertArguments(h2, 0, 10).invoke(5));
    }

    public static void io() throws Throwable {
        ByteArrayOutputStream o = new ByteArrayOutputStream();
        try (ObjectOutputStream s = new ObjectOutputStream(o)) { s.writeObject(new ArrayList<>(Arrays.asList(1,"x",2.5))); }
        p(new ObjectInputStream(new ByteArrayInputStream(o.toByteArray())).readObject());
        BufferedReader r = new BufferedReader(new StringReader("a\nb"));
        p(r.readLine());
        ByteBuffer bb = ByteBuffer.allocate(8).putInt(3);
        bb.flip();
        p(bb.getInt());
        p(ByteBuffer.allocateDirect(4).putInt(7).getInt(0));
        p(StandardCharsets.UTF_8.decode(ByteBuffer.wrap(new byte[]{65})));
        p(new File("/nope").exists());
        java.util.zip.CRC32 c = new java.util.zip.CRC32();
        c.update("abc".getBytes());
        p(c.getValue());
        ByteArrayOutputStream z = new ByteArrayOutputStream();
        try (java.util.zip.GZIPOutputStream gz = new java.util.zip.GZIPOutputStream(z)) { gz.write("hello".getBytes()); }
        BufferedReader br = new BufferedReader(new InputStreamReader(new java.util.zip.GZIPInputStream(new ByteArrayInputStream(z.toByteArray()))));
        p(br.readLine());
        p(java.security.MessageDigest.getInstance("SHA-256").digest("x".getBytes()).length);
        p(ServiceLoader.load(Runnable.class).iterator().hasNext());
        p(System.getProperty("java.specification.version"));
        p(Locale.getDefault());
        p(TimeZone.getDefault().getID());
        p(Currency.getInstance("EUR").getSymbol(Locale.US));
        p(Character.getName('a'));
        p(new Random(3).nextInt(100));
        p(Objects.hash(1,2,3));
        try { Object x = null; x.toString(); } catch (NullPointerException e) { p("npe"); }
        try { int[] q = new int[2]; q[3] = 1; } catch (ArrayIndexOutOfBoundsException e) { p(e.getMessage()); }
        try { Object s = "x"; Integer i = (Integer) s; } catch (ClassCastException e) { p(e.getMessage()); }
        try { "abc".substring(5); } catch (StringIndexOutOfBoundsException e) { p(e.getMessage()); }
        try { new ArrayList<Integer>().get(0); } catch (IndexOutOfBoundsException e) { p(e.getMessage()); }
    }

    public static void res() {
        try { ResourceBundle.getBundle("nope"); } catch (MissingResourceException e) { p(e.getMessage()); }
        p(new Throwable().getStackTrace()[0].getMethodName());
        p(Thread.currentThread().getName());
    }

    public static void main(String[] a) throws Throwable { text(); fmt(); re(); coll(); time(); math(); thr(); refl(); io(); res(); }
}
