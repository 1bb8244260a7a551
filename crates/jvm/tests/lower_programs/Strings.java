// Strings, records, switches and the library around them. Every static method without parameters is run.
import java.util.*;
public class Strings {
    static String concat() { int i = 5; long l = -7; char c = 'x'; boolean b = true; float f = 1.5f; double d = -0.0; byte y = -3; short s = 9; String n = null; Object o = null; char[] ca = null; return "a" + i + l + c + b + f + d + y + s + n + o + ca + "\u0001z" + 1e10 + 100f; }
    static String concatOne() { String s = "x"; s += 1; s += 'c'; s = s + s; return s + ""; }
    static String unicode() { char c = '\u20ac'; return "é" + c + "\ud83d\ude00"; }
    static String toStr() { Object o = new Object() { public String toString() { return null; } }; return "<" + o + ">"; }
    static String big() { int a = 1; return "" + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a; }
    record P(int x, long y, String s, double d, float f, boolean b, char c, int[] a) { }
    record E() { }
    record G<T>(T t, List<T> l) { G { Objects.requireNonNull(t); } static int count = 4; int size() { return l.size(); } }
    static P p(double d) { return new P(1, 2L, "s", d, 3f, true, 'c', null); }
    static String recordString() { return p(1.5) + " " + new E() + " " + new G<>("a", List.of("b", "c")); }
    static int recordHash() { return p(0.0).hashCode() * 31 + new E().hashCode() + new G<>("a", List.of("b")).hashCode(); }
    static int recordEquals() { P a = p(0.0); return (a.equals(p(0.0)) ? 1 : 0) + (a.equals(p(-0.0)) ? 2 : 0) + (p(Double.NaN).equals(p(Double.NaN)) ? 4 : 0) + (a.equals(null) ? 8 : 0) + (a.equals("x") ? 16 : 0) + (new E().equals(new E()) ? 32 : 0); }
    static int recordGet() { G<String> g = new G<>("a", List.of("b")); return g.size() + G.count + g.t().length(); }
    static int compact() { return new G<>(null, null).hashCode(); }
    static int strSwitch() { int r = 0; for (String s : new String[] { "a", "b", "AaAa", "BBBB", "AaBB", "zz" }) r = r * 10 + switch (s) { case "a" -> 1; case "b" -> 2; case "AaAa" -> 3; case "BBBB" -> 4; case "AaBB" -> 5; default -> 6; }; return r; }
    static int strSwitchNull() { String s = null; switch (s) { case "a": return 1; default: return 2; } }
    enum Color { RED, GREEN, BLUE }
    static int enumSwitch() { int r = 0; for (Color c : Color.values()) switch (c) { case RED: r += 1; break; case BLUE: r += 100; break; default: r += 10; } return r; }
    static String enumExpr() { Color c = Color.valueOf("GREEN"); return switch (c) { case RED -> "r"; case GREEN -> "g" + c.ordinal(); case BLUE -> "b"; }; }
    sealed interface Shape permits Circle, Square { }
    record Circle(int r) implements Shape { }
    record Square(int s) implements Shape { }
    static int area(Shape s) { if (s instanceof Circle c && c.r() > 0) return 3 * c.r() * c.r(); else if (s instanceof Square q) return q.s() * q.s(); return -1; }
    static int patterns() { return area(new Circle(2)) * 10000 + area(new Square(5)) * 100 + area(new Circle(0)); }
    static class Res implements AutoCloseable { static String log = ""; String n; Res(String n) { this.n = n; log += "+" + n; } public void close() { log += "-" + n; if (n.equals("x")) throw new IllegalStateException("close " + n); } }
    static String resources() { Res.log = ""; try (Res a = new Res("a"); Res b = new Res("b")) { Res.log += "body"; } try (Res a = new Res("x"); Res n = null) { throw new RuntimeException("body"); } catch (RuntimeException e) { Res.log += e.getMessage() + e.getSuppressed().length + e.getSuppressed()[0].getMessage(); } return Res.log; }
    static String asserts() { try { assert Integer.parseInt("3") > 4 : "no " + 3; return "off"; } catch (AssertionError e) { return e.getMessage(); } }
    static String textBlock() { return """
        Hello
          "World"\
         !
        """; }
    static String builder() { StringBuilder b = new StringBuilder(); for (int i = 0; i < 5; i++) b.append(i).append(i % 2 == 0 ? ',' : ';'); return b.reverse().insert(2, "##").toString(); }
    static String map() { Map<String, Integer> m = new TreeMap<>(); for (String w : "to be or not to be".split(" ")) m.merge(w, 1, Integer::sum); return m.toString(); }
    static String hashMap() { Map<Object, String> m = new HashMap<>(); m.put(1, "a"); m.put(2L, "b"); m.put("k", "c"); m.put(null, "d"); m.put(1, "e"); return m.get(1) + m.get(2L) + m.get("k") + m.get(null) + m.size() + m.get(2); }
    static String format() { return String.format("%d|%5s|%-4s|%x|%.2f", 42, "ab", "c", 255, 3.14159); }
    static String chars() { return "Hello".chars().mapToObj(c -> (char) (c + 1)).map(String::valueOf).reduce("", String::concat); }
    static String varargs() { return join("-", 1, "b", null); }
    static String join(String sep, Object... os) { String r = ""; for (Object o : os) r += sep + o; return r + os.length; }
    static int interned() { String a = "ab", b = "a"; String c = b + "b"; return (a == c ? 1 : 0) + (a == c.intern() ? 2 : 0) + (a.equals(c) ? 4 : 0); }
    static int identity() { Integer a = 127, b = 127, c = 128, d = 128; return (a == b ? 1 : 0) + (c == d ? 2 : 0) + (c.equals(d) ? 4 : 0); }
    static String stack() { try { Object o = null; o.toString(); } catch (NullPointerException e) { return e.getStackTrace()[0].getMethodName() + e.getStackTrace().length / 100; } return ""; }
    static int overflow() { try { return rec(0); } catch (StackOverflowError e) { return 1; } }
    static int rec(int n) { return rec(n + 1) + 1; }
}
