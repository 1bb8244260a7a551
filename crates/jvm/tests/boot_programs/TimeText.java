import java.text.*;
import java.time.*;
import java.time.format.*;
import java.util.*;
import java.util.regex.*;

/** Time, formats, regular expressions, resources. */
public class TimeText {
    public static void main(String[] args) throws Exception {
        LocalDate date = LocalDate.of(2024, 2, 28).plusDays(2);
        System.out.println(date + " " + date.getDayOfWeek() + " " + date.isLeapYear());
        System.out.println(LocalDateTime.of(2020, 1, 1, 10, 30).format(DateTimeFormatter.ISO_LOCAL_DATE_TIME));
        System.out.println(Duration.ofMinutes(135) + " " + Period.between(LocalDate.of(2000, 1, 1), date));
        System.out.println(Instant.ofEpochSecond(0) + " " + LocalTime.parse("10:15:30").plusHours(20));
        System.out.println(DateTimeFormatter.ofPattern("dd.MM.yyyy").format(date));
        System.out.println(ZonedDateTime.of(2020, 6, 1, 12, 0, 0, 0, ZoneId.of("UTC")).toInstant());
        Matcher matcher = Pattern.compile("(?<key>\\w+)=(\\d+)").matcher("a=1, bb=22");
        while (matcher.find()) System.out.println(matcher.group("key") + matcher.group(2) + matcher.start());
        System.out.println("2024-01-02".replaceAll("(\\d+)-(\\d+)-(\\d+)", "$3/$2/$1"));
        System.out.println(String.format("%08.3f|%+d|%s|%10s|%-10s|%tY", 3.14159, 5, null, "r", "l", new GregorianCalendar(2021, 0, 1)));
        System.out.println(new DecimalFormat("#,##0.00").format(1234567.891));
        System.out.println(MessageFormat.format("{0} has {1,number} items", "Cart", 3));
        System.out.println(new SimpleDateFormat("yyyy-MM-dd HH:mm").format(new Date(0)));
        System.out.println(NumberFormat.getCurrencyInstance(Locale.US).format(12.5));
        System.out.println(Locale.getDefault() + " " + TimeZone.getDefault().getID());
        System.out.println(String.format("%,.2f", 9876.543) + " " + String.format(Locale.GERMANY, "%,.2f", 9876.543));
        System.out.println(Integer.toString(255, 16).toUpperCase(Locale.ROOT) + HexFormat.of().formatHex(new byte[] {1, (byte) 0xff}));
        System.out.println(Base64.getEncoder().encodeToString("hello".getBytes()));
        System.out.println(DateTimeFormatter.ofPattern("EEEE, d MMMM yyyy", Locale.ENGLISH).format(date));
        System.out.println(ZoneId.of("Europe/Berlin").getRules().getOffset(Instant.ofEpochSecond(1600000000)));
        System.out.println(date.format(DateTimeFormatter.ofLocalizedDate(FormatStyle.MEDIUM)));
        Properties properties = new Properties();
        properties.load(new java.io.StringReader("a=1\nb = 2"));
        System.out.println(new TreeMap<>(properties));
        System.out.println(TimeText.class.getResourceAsStream("/TimeText.class").read());
        java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
        new java.io.PrintStream(out).printf("%d-%s", 1, "x");
        System.out.println(out.toString("UTF-8"));
        java.security.MessageDigest digest = java.security.MessageDigest.getInstance("SHA-256");
        System.out.println(HexFormat.of().formatHex(digest.digest("abc".getBytes())));
    }
}
