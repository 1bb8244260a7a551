// Pattern switches (Java 21 and later). Every static method without parameters is run.
public class PatternSwitches {
    enum Color { RED, GREEN, BLUE }
    sealed interface Shape permits Circle, Square, Pair { }
    record Circle(int r) implements Shape { }
    record Square(int s) implements Shape { }
    record Pair(Shape a, Object b) implements Shape { }
    static int test(Object o) { return switch (o) { case null -> 1; case String s when s.length() > 3 -> 2; case String s -> 3; case Integer i when i > 10 -> 4; case Integer i -> 5; case Color c when c == Color.RED -> 6; case Color c -> 7; case int[] a -> 8 + a.length; case Pair(Circle(var r), Integer i) -> r * 100 + i; case Pair(var a, var b) -> 11; case CharSequence s -> 12; default -> 13; }; }
    static String all() { String r = ""; for (Object o : new Object[] { null, "abcd", "ab", 11, 3, Color.RED, Color.BLUE, new int[2], new Pair(new Circle(4), 5), new Pair(new Square(4), 5), new StringBuilder(), 4L }) r += test(o) + ","; return r; }
    static int area(Shape s) { return switch (s) { case Circle c -> c.r() * 3; case Square q -> q.s() * q.s(); case Pair(Shape a, Object b) -> area(a); }; }
    static int sealed_() { return area(new Circle(2)) + area(new Square(5)) * 10 + area(new Pair(new Square(9), null)); }
    static int nullSwitch() { Object o = null; return switch (o) { case String s -> 1; default -> 2; }; }
    static String enums() { String r = ""; for (Color c : Color.values()) r += switch (c) { case RED -> "r"; case GREEN -> "g"; case BLUE -> "b"; }; return r; }
    static String str(CharSequence s) { return switch (s) { case String t when t.isEmpty() -> "empty"; case String t -> t; default -> "other"; }; }
    static String strs() { return str("") + str("q") + str(new StringBuilder()); }
    sealed interface I permits E1, E2 { } enum E1 implements I { A, B } enum E2 implements I { C }
    static int qualified(I i) { return switch (i) { case E1.A -> 1; case E1.B -> 2; case E2.C -> 3; }; }
    static int qualifieds() { return qualified(E1.A) * 100 + qualified(E1.B) * 10 + qualified(E2.C); }
    static int chars(Character c) { return switch (c) { case 'a' -> 1; case Character x when x > 'm' -> 2; case Character x -> 3; }; }
    static int charCases() { return chars('a') * 100 + chars('z') * 10 + chars('b'); }
    static int enumPattern(Color c) { return switch (c) { case RED -> 1; case Color x when x.ordinal() == 1 -> 2; case Color x -> 3; }; }
    static int enumPatterns() { return enumPattern(Color.RED) * 100 + enumPattern(Color.GREEN) * 10 + enumPattern(Color.BLUE); }
}
