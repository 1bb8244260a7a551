//! What lowering makes of small methods.

mod lower_common;

use lower_common::{compile, text};

#[test]
fn show() {
    let (mut jvm, _folder) = compile(
        &[(
            "G.java",
            r#"
public class G {
    int f; static int s;
    static int add(int a, int b) { int c = a + b; return c; }
    static int sum(int[] a) { int t = 0; for (int i = 0; i < a.length; i++) t += a[i]; return t; }
    static boolean cond(int a, int b, boolean c) { return a > 0 && (b < 3 || !c); }
    int field(G o) { o.f += 2; s++; return o.f + this.f; }
    static String str(String x) { switch (x) { case "a": return "1"; case "b": return "2"; default: return null; } }
    static int tryit(int x) { try { return 10 / x; } catch (ArithmeticException e) { return -1; } finally { s = 3; } }
    synchronized int sync(Object o) { if (o instanceof String) return 1; return 2; }
    static double d(double a, double b) { return a < b ? a : b; }
    static int[][] multi(int n) { return new int[n][3]; }
    static int tern(int a, int b) { return Math.max(a, b > 0 ? b : -b); }
    static void asrt(int x) { assert x > 0 : "neg"; }
}
"#,
        )],
        &["-g"],
    );
    for name in ["add", "sum", "cond", "field", "str", "tryit", "sync", "d", "multi", "tern", "asrt"] {
        println!("{}", text(&mut jvm, "G", name));
    }
}
