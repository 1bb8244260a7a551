// Small methods whose IR is looked at.
public class Golden {
    static int own = Integer.parseInt("1");
    enum Color { RED, GREEN }
    static class Plain { int x; static int y; }
    static class Static { static int z = Integer.parseInt("2"); }
    static class Closing implements AutoCloseable { public void close() { } }

    static int add(int a, int b) { int c = a + b; return c; }
    static int sum(int[] a) { int t = 0; for (int i = 0; i < a.length; i++) t += a[i]; return t; }
    static int bump(int[] a, int i) { return a[i]++; }
    static double min(double a, double b) { return a < b ? a : b; }
    static int divide(int x) { try { return 10 / x; } catch (ArithmeticException e) { return -1; } }

    static boolean cond(int a, int b, boolean c) { return a > 0 && (b < 3 || !c); }
    static int condCalls(String s, int n) { if (s != null && s.length() > n && s.charAt(n) == 'x') return 1; return 2; }
    static int condOnStack(int a, int b) { return Math.max(a, a > 1 && b > 2 ? 3 : 4); }
    static int ternaryCond(boolean a, boolean b, boolean c) { if (a ? b : c) return 1; return 2; }
    static int nestedIf(int a, int b) {
        if (a > 0) {
            if (b > 0) {
                return 1;
            }
        }
        return 2;
    }
    static int elseIf(int a) { if (a == 1) return 5; else if (a == 2) return 6; return 7; }
    static int twoIfs(int a, int b) { int r = 0; if (a > 0) r = 1; if (b > 0) r += 2; return r; }
    static int whileAnd(int a, int b) { while (a > 0 && b > 0) { a--; b -= 2; } return a + b; }
    static int multiLine(int a, int b, int c) {
        if (a > 0
                && (b > 0
                || c > 0)) {
            return 1;
        }
        return 2;
    }

    static int stringSwitch(String s) { switch (s) { case "a": return 1; case "b": return 2; default: return 3; } }
    static void asserts(int x) { assert x > 0 : "negative"; }
    static void resource(java.io.InputStream s) throws java.io.IOException { try (java.io.InputStream t = s) { t.read(); } }
    static void closesItself(java.io.InputStream s) throws java.io.IOException { if (s != null) s.close(); }
    static int enumSwitch(Color c) { switch (c) { case RED: return 1; default: return 2; } }

    static int slots(int n) {
        int r = 0;
        for (int i = 0; i < n; i++) { int a = i * 2; r += a; }
        for (int j = 0; j < n; j++) { int b = j * 3; r += b; }
        return r;
    }

    static int usesPlain() { Plain p = new Plain(); return p.x + Plain.y; }
    static int usesStatic() { return Static.z + Static.z; }
    static int usesOwn() { return own; }
}
