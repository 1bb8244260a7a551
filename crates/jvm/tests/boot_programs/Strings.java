import java.util.*;

/** Strings. */
public class Strings {
    public static void main(String[] args) {
        String s = "Hello, World";
        System.out.println(s.toUpperCase() + s.substring(7) + s.indexOf("World") + s.replace('l', 'L') + s.charAt(4) + s.length());
        System.out.println(s.hashCode() + " " + "äö€".hashCode() + " " + s.compareTo("Help") + " " + s.equalsIgnoreCase("hello, world"));
        System.out.println(String.join("-", "a", "b", "c") + String.valueOf(new char[] {'x', 'y'}) + "  trim ".trim() + "|" + " s ".strip() + "|");
        System.out.println(Arrays.toString("a,b,,c,,".split(",")) + Arrays.toString("a1b22c".split("\\d+")));
        System.out.println("abc".repeat(3) + "x".isBlank() + "".isEmpty() + "a\nb\n".lines().count());
        System.out.println("Mississippi".replaceAll("ss", "SS") + "Mississippi".lastIndexOf("ss") + "abc".contains("bc") + "abc".matches("[a-c]+"));
        System.out.println(new StringBuilder("abc").insert(1, 42).append(1.5).append(true).deleteCharAt(0).reverse());
        System.out.println("a" + 1 + 2L + 3.0f + 'c' + null + true + new int[0].length);
        System.out.println("€uro".getBytes(java.nio.charset.StandardCharsets.UTF_8).length + " " + new String(new byte[] {65, 66}, java.nio.charset.StandardCharsets.ISO_8859_1));
        switch (s) {
            case "Hello": System.out.println("no"); break;
            case "Hello, World": System.out.println("yes"); break;
            default: System.out.println("default");
        }
        System.out.println(s == "Hello, World" ? "same" : "other");
        System.out.println(new String("x") == "x" ? "same" : "other");
        System.out.println(new String("x").intern() == "x" ? "same" : "other");
        System.out.println("straße".toUpperCase() + "İ".toLowerCase().length() + "ΑΣ".toLowerCase());
        try {
            "abc".substring(5);
        } catch (StringIndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
        try {
            "abc".charAt(-1);
        } catch (StringIndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
        StringBuilder sb = new StringBuilder();
        for (int i = 0; i < 5; i++) sb.append((char) ('a' + i)).append('€');
        System.out.println(sb + " " + sb.indexOf("c") + " " + sb.length());
        System.out.println("one two".chars().filter(c -> c == 'o').count() + " " + "a-b".codePointAt(1) + " " + "😀".codePointCount(0, 2));
        System.out.println("%d items".formatted(5));
        System.out.println(String.format("%5d|%-5s|%05.2f|%x|%c|%b|%,d|%e", 42, "ab", 3.14159, 255, 'q', true, 1234567, 12345.678));
    }
}
