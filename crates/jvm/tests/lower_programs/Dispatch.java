// Dispatch and class initialisation. Every static method without parameters is run.
public class Dispatch {
    static int trace;
    static int mark(int x) { trace = trace * 10 + x; return x; }
    interface I { int K = mark(9); default int m() { return 1; } int n(); static int st() { return 33; } }
    interface J extends I { default int m() { return 2 + I.super.m(); } }
    interface X { int Z = mark(8); int q(); }
    static abstract class P implements I { static { mark(1); } public int n() { return p() + priv(); } abstract int p(); private int priv() { return 100; } int over() { return 1; } }
    static class Q extends P implements J, X { static int v = mark(2); int p() { return 5; } private int priv() { return 200; } int over() { return 10 + super.over(); } public int q() { return 4; } }
    static final class R extends Q { static { mark(3); } public int m() { return 50; } int p() { return 6; } }
    static class Bad { static int x; static { mark(7); if (true) throw new IllegalStateException("bad"); } }
    static class Const { static final int C = 5; static final String S = "s"; static { mark(6); } }
    static class S1 { static int a = S2.b + 1; }
    static class S2 { static int b = S1.a + 10; }
    static int initOrder() { new R(); return trace; }
    static int calls() { R r = new R(); Q q = new Q(); P p = r; I i = q; J j = r; return r.m() + q.m() * 3 + p.n() + i.n() * 2 + j.m() + q.over() + p.over() + I.st(); }
    static int constNoInit() { int before = trace; int c = Const.C; return trace - before + c; }
    static int arrayNoInit() { int before = trace; Bad[] b = new Bad[3]; return trace - before + b.length; }
    static int failing() { int r = 0; try { Bad.x = 1; } catch (ExceptionInInitializerError e) { r = 1; } try { Bad.x = 2; } catch (NoClassDefFoundError e) { r += 2; } return r; }
    static int circular() { return S1.a * 100 + S2.b; }
    static int ifaceConst() { return X.Z; }
    static int objMethods() { Object o = new int[2]; I i = new Q(); return (o.equals(o) ? 1 : 0) + (i.equals(null) ? 2 : 4); }
    static int cloned() { int[] a = { 1, 2 }; return a == null ? 1 : 2; }
    enum E { A, B { int f() { return 7; } }; int f() { return ordinal() + 3; } }
    static int enums() { return E.A.f() * 10 + E.B.f() + E.values().length * 100; }
    static int abstractCall() { P p = new P() { int p() { return 42; } }; return p.n(); }
    class Inner { int v = 3; int get() { return v + outer; } }
    int outer = 20;
    static int inner() { return new Dispatch().new Inner().get(); }
    static int generic() { Box<Integer> b = new Box<>(); b.t = null; return b.get() == null ? 5 : 6; }
    static class Box<T> { T t; T get() { return t; } }
}
