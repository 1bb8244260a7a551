import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.text.*;
import java.time.*;
import java.time.format.*;
import java.util.*;
import java.util.function.*;
import java.util.regex.*;
import java.util.stream.*;
import java.util.zip.*;

/** Serialisation, resource bundles, services, properties, locales, zip, the virtual environment. */
public class Services {
    static class Node implements Serializable {
        private static final long serialVersionUID = 1;
        String name;
        transient int skipped = 5;
        Node next;
        List<Object> items = new ArrayList<>();
        Map<String, Integer> map = new TreeMap<>();
        int[] numbers = {1, 2};
        Thread.State state = Thread.State.BLOCKED;

        Node(String name) {
            this.name = name;
        }

        private void writeObject(ObjectOutputStream out) throws IOException {
            out.defaultWriteObject();
            out.writeInt(42);
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            skipped = in.readInt();
        }
    }

    record Pair(int a, String b) implements Serializable {
    }

    public static class Bundle extends ListResourceBundle {
        @Override
        protected Object[][] getContents() {
            return new Object[][] {{"greeting", "hello {0}"}, {"n", 3}};
        }
    }

    static Object copy(Object object) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return in.readObject();
        }
    }

    public static void main(String[] args) throws Exception {
        Node node = new Node("a");
        node.next = new Node("b");
        node.next.next = node;
        node.items.addAll(List.of("x", 1, 2.5, LocalDate.of(2020, 1, 2)));
        node.map.put("k", 7);
        Node read = (Node) copy(node);
        System.out.println(read.name + read.next.name + (read.next.next == read) + read.skipped + read.items + read.map
            + Arrays.toString(read.numbers) + read.state);
        System.out.println(copy(new Pair(3, "p")) + " " + copy(new HashMap<>(Map.of("a", 1))) + copy(new java.math.BigDecimal("1.50")));
        try {
            copy(new Object());
        } catch (NotSerializableException e) {
            System.out.println(e);
        }
        int captured = 7;
        String also = "c";
        System.out.println(((Supplier<?>) copy((Supplier<String> & Serializable) () -> "lambda")).get());
        System.out.println(((Supplier<?>) copy((Supplier<String> & Serializable) () -> also + captured)).get());
        System.out.println(ObjectStreamClass.lookup(Node.class).getSerialVersionUID() + " " + ObjectStreamClass.lookup(Pair.class).getName());

        ResourceBundle bundle = ResourceBundle.getBundle("Services$Bundle", Locale.US);
        System.out.println(MessageFormat.format(bundle.getString("greeting"), "you") + bundle.getObject("n") + bundle.containsKey("zz"));
        try {
            ResourceBundle.getBundle("no.such.bundle");
        } catch (MissingResourceException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(ServiceLoader.load(Runnable.class).findFirst());
        Properties properties = new Properties();
        properties.load(new StringReader("a=1\nb : two\n# no\nc=\\u0041\\\n  more"));
        System.out.println(new TreeMap<>(properties));
        System.out.println(System.getProperty("line.separator").length() + System.getProperty("no.such", "default"));
        System.setProperty("mine", "set");
        System.out.println(System.getProperty("mine") + Integer.getInteger("nope", 4) + Boolean.getBoolean("mine"));
        System.out.println(System.getenv("TESTWRIGHT_SURELY_NOT_SET"));
        System.out.println(new File("/surely/not/here").exists() + " " + new File("a/../b/c.txt").getName() + new File("x/y").getParent());
        try {
            new FileInputStream("/surely/not/here");
        } catch (FileNotFoundException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(Files.exists(Path.of("/surely/not/here")) + " " + Path.of("a", "b", "..", "c").normalize());
        try {
            Files.readString(Path.of("/surely/not/here"));
        } catch (NoSuchFileException e) {
            System.out.println(e.getMessage());
        }

        byte[] text = "hello hello hello hello hello".repeat(20).getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(zipped)) {
            out.write(text);
        }
        System.out.println(zipped.size() < 100);
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(zipped.toByteArray()))) {
            System.out.println(Arrays.equals(in.readAllBytes(), text));
        }
        CRC32 crc = new CRC32();
        crc.update(text);
        Adler32 adler = new Adler32();
        adler.update(text, 3, 20);
        System.out.println(crc.getValue() + " " + adler.getValue());
        ByteArrayOutputStream archive = new ByteArrayOutputStream();
        try (ZipOutputStream out = new ZipOutputStream(archive)) {
            out.putNextEntry(new ZipEntry("one.txt"));
            out.write(text);
            out.closeEntry();
            out.putNextEntry(new ZipEntry("two.txt"));
            out.write(1);
            out.closeEntry();
        }
        try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(archive.toByteArray()))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                System.out.println(entry.getName() + " " + in.readAllBytes().length);
            }
        }
        Deflater deflater = new Deflater(9, true);
        deflater.setInput(text);
        deflater.finish();
        byte[] buffer = new byte[200];
        int length = deflater.deflate(buffer);
        Inflater inflater = new Inflater(true);
        inflater.setInput(buffer, 0, length);
        byte[] back = new byte[1000];
        System.out.println(inflater.inflate(back) + " " + inflater.finished() + " " + inflater.getTotalOut() + " " + deflater.getTotalIn());
        try {
            new GZIPInputStream(new ByteArrayInputStream(new byte[20]));
        } catch (ZipException e) {
            System.out.println(e.getMessage());
        }
        try {
            Inflater bad = new Inflater();
            bad.setInput(new byte[] {1, 2, 3, 4});
            bad.inflate(back);
        } catch (DataFormatException e) {
            System.out.println(e.getMessage());
        }

        System.out.println(Character.getName('a') + " " + Character.UnicodeBlock.of('é'));
        for (Locale locale : List.of(Locale.GERMANY, Locale.FRANCE, Locale.US, Locale.JAPAN, new Locale("pt", "BR"))) {
            System.out.println(NumberFormat.getCurrencyInstance(locale).format(1234.5) + " " + NumberFormat.getInstance(locale).format(-9876.543)
                + " " + String.format(locale, "%,.2f", 12345.678) + " " + DateFormat.getDateInstance(DateFormat.LONG, locale).format(new Date(0))
                + " " + DateTimeFormatter.ofLocalizedDate(FormatStyle.FULL).withLocale(locale).format(LocalDate.of(2024, 2, 29))
                + " " + locale.getDisplayLanguage(locale) + " " + DayOfWeek.MONDAY.getDisplayName(java.time.format.TextStyle.FULL, locale));
        }
        System.out.println(Locale.getAvailableLocales().length > 100);
        System.out.println(Currency.getInstance("EUR").getSymbol(Locale.GERMANY) + Currency.getInstance(Locale.JAPAN));
        System.out.println(ZonedDateTime.of(2024, 3, 31, 1, 59, 0, 0, ZoneId.of("Europe/Berlin")).plusMinutes(1));
        System.out.println(TimeZone.getTimeZone("America/New_York").getDisplayName(Locale.US) + ZoneId.getAvailableZoneIds().size() / 1000);
        System.out.println(Collator.getInstance(Locale.GERMANY).compare("ä", "z"));
        System.out.println(Normalizer.normalize("é", Normalizer.Form.NFD).length());
        Scanner scanner = new Scanner("1 two 3.5\nline");
        System.out.println(scanner.nextInt() + scanner.next() + scanner.nextDouble() + scanner.nextLine() + scanner.nextLine());
        System.out.println(Pattern.compile("(?<y>\\d{4})-(\\d\\d)").matcher("on 2024-05 and 2023-01").replaceAll(m -> m.group(2) + "/" + m.group(1)));
        System.out.println(UUID.nameUUIDFromBytes(new byte[] {1, 2}) + " " + Base64.getEncoder().encodeToString(text).length());
        Map<Integer, String> grouped = Stream.of("a", "bb", "cc").collect(Collectors.groupingBy(String::length, TreeMap::new, Collectors.joining("|")));
        System.out.println(grouped);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> { }));
        System.out.println(java.security.MessageDigest.getInstance("SHA-256").digest(text)[0] + " "
            + java.security.MessageDigest.getInstance("MD5").digest(text)[1]);
        System.out.println(java.net.URI.create("http://a.b:80/c?d=e#f").getPath() + java.net.URLEncoder.encode("a b&ü", StandardCharsets.UTF_8));
        Cloneable c = new int[] {1};
        System.out.println(new Random(42).nextInt(100) + " " + new SplittableRandom(3).nextInt(10) + " " + Math.round(new Random(1).nextGaussian() * 1000));
        Optional<String> optional = Stream.of("x").findFirst();
        System.out.println(optional);
        StringBuilder log = new StringBuilder();
        try (AutoCloseable one = () -> log.append("1"); AutoCloseable two = () -> log.append("2")) {
            log.append("0");
        }
        System.out.println(log);
        System.out.println(java.util.logging.Logger.getLogger("x").getLevel());
    }
}
