/** Methods whose string operations are treated by terms; used by boot_symbolic.rs. */
public class Symbolic {
    static int equalsConstant(String a, String b, int i) { return a.equals("abc") ? 1 : 0; }
    static int constantEquals(String a, String b, int i) { return "ab".equals(a) ? 1 : 0; }
    static int equalsOther(String a, String b, int i) { return a.equals(b) ? 1 : 0; }
    static int equalsWide(String a, String b, int i) { return a.equals("a\u0100") ? 1 : 0; }
    static int startsWith(String a, String b, int i) { return a.startsWith("ab") ? 1 : 0; }
    static int startsWithAt(String a, String b, int i) { return a.startsWith(b, i) ? 1 : 0; }
    static int endsWith(String a, String b, int i) { return a.endsWith("bc") ? 1 : 0; }
    static int compareConstant(String a, String b, int i) { return a.compareTo("abb"); }
    static int compareOther(String a, String b, int i) { return a.compareTo(b); }
    static int hash(String a, String b, int i) { return a.hashCode(); }
    static int length(String a, String b, int i) { return a.length() + (b.isEmpty() ? 100 : 0); }
    static int charAt(String a, String b, int i) { return a.charAt(i) + b.charAt(0); }
    static int indexOf(String a, String b, int i) { return a.indexOf('b'); }
    static int indexOfFrom(String a, String b, int i) { return a.indexOf('c', i); }
    static int indexOfString(String a, String b, int i) { return a.indexOf("bc"); }
    static int contains(String a, String b, int i) { return a.contains("ca") ? 1 : 0; }
    static int containsOther(String a, String b, int i) { return a.contains(b) ? 1 : 0; }
    static int substringEquals(String a, String b, int i) { return a.substring(1).equals("bc") ? 1 : 0; }
    static int concatEquals(String a, String b, int i) { return (a + b).equals("abc") ? 1 : 0; }
    static int builder(String a, String b, int i) { return new StringBuilder(a).append('x').append(b).indexOf("xa"); }
    static int parse(String a, String b, int i) { try { return Integer.parseInt(a); } catch (NumberFormatException e) { return -7; } }
    static int trimmed(String a, String b, int i) { return a.trim().length(); }
    static int upper(String a, String b, int i) { return a.toUpperCase().equals("AB") ? 1 : 0; }
    static int switched(String a, String b, int i) { switch (a) { case "a": return 1; case "abc": return 2; case "": return 3; default: return 4; } }
    static int ignoreCase(String a, String b, int i) { return a.equalsIgnoreCase("AB") ? 1 : 0; }
    static int blank(String a, String b, int i) { return a.isBlank() ? 1 : 0; }
    static int lastIndexOf(String a, String b, int i) { return a.lastIndexOf('b'); }
    static int replaced(String a, String b, int i) { return a.replace('a', 'c').equals("cb") ? 1 : 0; }
    static int arrays(String a, String b, int i) { return java.util.Arrays.equals(a.toCharArray(), b.toCharArray()) ? 1 : 0; }
    static int loop(String a, String b, int i) { int n = 0; for (char c : a.toCharArray()) if (c == 'b') n++; return n; }
    static int map(String a, String b, int i) { return new java.util.HashMap<>(java.util.Map.of("a", 1, "b", 2)).getOrDefault(a, 9); }
    static int math(String a, String b, int i) { return Math.abs(i) + Math.max(i, 3) - Math.min(i, 2) + Math.floorMod(i, 3) + Integer.signum(i) + Integer.compare(i, 4); }
    static int longs(String a, String b, int i) { long x = i * 5L; return (int) (Math.abs(x) + Math.max(x, 7L) + Math.min(x, -1L)) + Long.compare(x, 10L) + Math.floorDiv(i, 3) + Math.floorMod(i, -2); }
    static int digits(String a, String b, int i) { return a.isEmpty() ? -1 : (Character.isDigit(a.charAt(0)) ? 1 : 0) + (Character.isLetter(a.charAt(0)) ? 2 : 0) + (Character.isWhitespace(a.charAt(0)) ? 4 : 0) + (Character.isUpperCase(a.charAt(0)) ? 8 : 0) + Character.toUpperCase(a.charAt(0)); }
    static int parseSigned(String a, String b, int i) { try { return Integer.parseInt("-" + a) + Integer.parseInt("2" + b); } catch (NumberFormatException e) { return e.getMessage().length(); } }
    static int parsePlain(String a, String b, int i) { return Integer.parseInt(a); }
    static int doubles(String a, String b, int i) { double d = i == 3 ? Double.NaN : i / 2.0; return (Double.isNaN(d) ? 1 : 0) + (Double.isInfinite(d) ? 2 : 0) + (int) Math.abs(d) + (int) Math.abs((float) d); }
}
