//! Java methods run in the VM and on the real JVM: the answers must agree.

mod lower_common;

use std::process::Command;

use jvm::Jvm;
use jvm::link::string_units;
use lower_common::{JDK, booted, compile, run};
use vm::{Outcome, Vm};

/// Runs every static method without parameters that returns `int`, in the VM and on the JVM (whose `main` prints
/// `name=value` lines).
fn agree(class: &str, source: &str) {
    let (_, folder) = compile(&[(&format!("{class}.java"), source)], &["-g"]);
    let done = Command::new(format!("{JDK}/bin/java"))
        .args(["-ea", "-cp"])
        .arg(folder.path())
        .arg(class)
        .output()
        .expect("java runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let printed = String::from_utf8_lossy(&done.stdout).into_owned();
    let mut vm = booted(folder.path());
    let mut wrong = Vec::new();
    for line in printed.lines() {
        let (name, expected) = line.split_once('=').expect("name=value");
        vm.start_run(Default::default());
        let found = match run(&mut vm, class, name, &[]) {
            Outcome::Returned(Some(value)) => value.as_i32().to_string(),
            other => describe(&vm, &other),
        };
        if found != expected {
            wrong.push(format!("{name}: {found}, not {expected}"));
        }
    }
    assert!(printed.lines().count() > 3);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn describe(vm: &Vm<Jvm>, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Threw(exception) => {
            let class = vm.heap.class(*exception);
            let message = vm.lang.classes[vm.lang.known.throwable]
                .fields
                .iter()
                .find(|field| &*field.name == "detailMessage")
                .map(|field| vm.heap.read_ref(*exception, field.offset));
            let text = message.filter(|m| !m.is_null()).map(|m| String::from_utf16_lossy(&string_units(vm, m)));
            format!("{} {}", vm.lang.classes[class].java_name(), text.unwrap_or_default())
        }
        other => format!("{other:?}"),
    }
}

/// Prints the results of all `static int x()` methods, for a `main`.
const MAIN: &str = r#"
    public static void main(String[] a) throws Exception {
        for (java.lang.reflect.Method m : Class.forName(Thread.currentThread().getStackTrace()[1].getClassName()).getDeclaredMethods()) {
            if (m.getParameterCount() == 0 && m.getReturnType() == int.class && !m.isSynthetic()) {
                m.setAccessible(true);
                String r;
                try { r = m.invoke(null).toString(); }
                catch (java.lang.reflect.InvocationTargetException e) {
                    Throwable t = e.getCause();
                    r = t.getClass().getName() + " " + (t.getMessage() == null ? "" : t.getMessage());
                }
                System.out.println(m.getName() + "=" + r);
            }
        }
    }
"#;

#[test]
fn arithmetic_and_conversions_agree_with_the_jvm() {
    let source = format!(
        r#"
public class A {{ {MAIN}
    static int opaque(int x) {{ return x; }}
    static long opaque(long x) {{ return x; }}
    static float opaque(float x) {{ return x; }}
    static double opaque(double x) {{ return x; }}
    static int h(long x) {{ return (int) (x ^ (x >>> 32)); }}
    static int h(double x) {{ return h(Double.doubleToRawLongBits(x)); }}
    static int minDiv() {{ return opaque(Integer.MIN_VALUE) / opaque(-1); }}
    static int minRem() {{ return opaque(Integer.MIN_VALUE) % opaque(-1); }}
    static int negRem() {{ return opaque(-7) % opaque(3) * 100 + opaque(-7) / opaque(3); }}
    static int lMinDiv() {{ return h(opaque(Long.MIN_VALUE) / opaque(-1L)); }}
    static int shifts() {{ return (opaque(1) << opaque(33)) + (opaque(-8) >> opaque(34)) + (opaque(-8) >>> opaque(60)); }}
    static int lshifts() {{ return h((opaque(1L) << opaque(65)) + (opaque(-8L) >> 3) + (opaque(-8L) >>> 70)); }}
    static int bits() {{ return (opaque(0x1234) & 0xff0) | (opaque(7) ^ -1); }}
    static int wrap() {{ return opaque(Integer.MAX_VALUE) + 1; }}
    static int mul() {{ return opaque(123456789) * opaque(987654321); }}
    static int lmul() {{ return h(opaque(123456789123L) * opaque(987654321987L) - opaque(5L)); }}
    static int neg() {{ return -opaque(Integer.MIN_VALUE) + h(-opaque(7L)); }}
    static int i2b() {{ return (byte) opaque(200) + (short) opaque(70000) + (char) opaque(-1); }}
    static int f2i() {{ return (int) opaque(1e20f) ^ (int) opaque(Float.NaN) ^ (int) opaque(-3.9f); }}
    static int d2l() {{ return h((long) opaque(-1e300)) ^ h((long) opaque(Double.NaN)) ^ h((long) opaque(3.99)); }}
    static int frem() {{ return h(opaque(-5.5) % opaque(2.0)) + Float.floatToRawIntBits(opaque(5.5f) % opaque(-2f)); }}
    static int fdiv() {{ return h(opaque(1.0) / opaque(0.0)) + h(opaque(-1.0) / 3); }}
    static int l2f() {{ return Float.floatToRawIntBits((float) opaque(0x7fffffbfffffffffL)) + h((double) opaque(Long.MAX_VALUE)); }}
    static int i2f() {{ return Float.floatToRawIntBits((float) opaque(16777217)) + h((double) opaque(7)) ; }}
    static int fd() {{ return h((double) opaque(1.1f)) + Float.floatToRawIntBits((float) opaque(1e-50)); }}
    static int lcmp() {{ long a = opaque(3L), b = opaque(4L); int r = 0; if (a < b) r |= 1; if (a <= b) r |= 2; if (a > b) r |= 4; if (a >= b) r |= 8; if (a == b) r |= 16; if (a != b) r |= 32; return r; }}
    static int nan() {{ double a = opaque(Double.NaN), b = opaque(1.0); int r = 0; if (a < b) r |= 1; if (a <= b) r |= 2; if (a > b) r |= 4; if (a >= b) r |= 8; if (a == b) r |= 16; if (a != b) r |= 32; if (!(a < b)) r |= 64; if (!(a >= b)) r |= 128; return r; }}
    static int fcmp() {{ float a = opaque(-0f), b = opaque(0f); int r = 0; if (a < b) r |= 1; if (a <= b) r |= 2; if (a > b) r |= 4; if (a >= b) r |= 8; if (a == b) r |= 16; if (a != b) r |= 32; return r; }}
    static int boolCmp() {{ long a = opaque(3L); boolean x = a > 2, y = a != 3; double d = opaque(2.5); boolean z = d > 1 == true; return (x ? 1 : 0) + (y ? 2 : 0) + (z ? 4 : 0); }}
    static int divZero() {{ return opaque(1) / opaque(0); }}
    static int lremZero() {{ return h(opaque(1L) % opaque(0L)); }}
    static int preInc() {{ int i = opaque(3); int j = i++ + ++i + i--; i += 3.7; return i * 100 + j; }}
    static int swapped() {{ int a = opaque(1), b = opaque(2); int t = a; a = b; b = t; return a * 10 + b; }}
    static int aliased() {{ int a = opaque(5); int b = a + (a = 7) * a; return b * 100 + a; }}
}}
"#
    );
    agree("A", &source);
}

#[test]
fn control_flow_arrays_and_exceptions_agree_with_the_jvm() {
    let source = format!(
        r#"
public class C {{ {MAIN}
    static int opaque(int x) {{ return x; }}
    static int loop() {{ int s = 0; for (int i = 0; i < 100; i++) {{ if (i % 3 == 0) continue; if (i > 90) break; s += i * i; }} return s; }}
    static int nested() {{ int s = 0; outer: for (int i = 0; i < 20; i++) for (int j = 0; j < 20; j++) {{ if (j == i) continue outer; if (i * j > 150) break outer; s += i ^ j; }} return s; }}
    static int tswitch() {{ int s = 0; for (int i = -2; i < 8; i++) switch (i) {{ case 0: s += 1; case 1: s += 10; break; case 3: s += 100; break; case 5: s += 1000; default: s += 7; }} return s; }}
    static int lswitch() {{ int s = 0; for (int x : new int[] {{ -1000, 5, 1 << 30, 77 }}) switch (x) {{ case -1000: s += 1; break; case 1 << 30: s += 2; break; case 77: s += 4; break; default: s += 8; }} return s; }}
    static int yield_() {{ int x = opaque(4); return 1000 * switch (x) {{ case 1, 2 -> 3; case 4 -> {{ int y = x * 2; yield y + (y > 3 ? 1 : 2); }} default -> 0; }} + x; }}
    static int cond() {{ int r = 0; for (int m = 0; m < 8; m++) {{ boolean a = (m & 1) != 0, b = (m & 2) != 0, c = (m & 4) != 0; r = r * 2 + (a && (b || !c) ? 1 : 0); r = r * 2 + (a || b && c ? 1 : 0); r += (a ? b : c) ? 1 : 0; }} return r; }}
    static int arrays() {{ byte[] b = {{ -1, 2 }}; short[] s = {{ (short) 40000 }}; char[] c = {{ 'x', 65535 }}; long[] l = {{ 1L << 40 }}; boolean[] z = {{ true, false }}; float[] f = {{ 1.5f }}; double[] d = {{ 2.5 }}; b[1] += 300; c[0]++; z[1] = !z[0]; l[0] >>= 35; return b[0] + b[1] * 3 + s[0] + c[0] + c[1] + (int) l[0] + (z[1] ? 7 : 9) + (int) (f[0] * d[0]); }}
    static int multi() {{ int[][][] a = new int[2][3][]; a[1][2] = new int[] {{ 4, 5 }}; long[][] l = new long[3][4]; l[2][3] = 9; return a.length * 100 + a[0].length * 10 + a[1][2][1] + (a[0][0] == null ? 1000 : 0) + (int) l[2][3] + l[1].length; }}
    static int zeroMulti() {{ return new int[0][-1].length; }}
    static int oob() {{ int[] a = new int[opaque(3)]; return a[opaque(3)]; }}
    static int oobNeg() {{ int[] a = new int[opaque(3)]; a[opaque(-1)] = 1; return 0; }}
    static int npe() {{ int[] a = null; if (opaque(1) == 0) a = new int[1]; try {{ return a.length; }} catch (NullPointerException e) {{ return -5; }} }}
    static int negSize() {{ return new int[opaque(-1)].length; }}
    static int store() {{ Object[] a = new String[1]; a[0] = new C(); return 0; }}
    static int cast() {{ Object o = new C(); return ((String) o).length(); }}
    static int cast2() {{ Object o = "x"; return ((C) o).hashCode(); }}
    static int cast3() {{ Object o = new int[1]; return ((Object[]) o).length; }}
    static int nullCast() {{ Object o = null; String s = (String) o; return s == null ? 3 : 4; }}
    static int inst() {{ Object[] os = {{ "s", new int[0], new String[0], null, new C(), new int[0][] }}; int r = 0; for (Object o : os) r = r * 16 + (o instanceof String ? 1 : 0) + (o instanceof Object[] ? 2 : 0) + (o instanceof Comparable ? 4 : 0) + (o instanceof Cloneable ? 8 : 0); return r; }}
    static int fin() {{ int r = 0; for (int i = 0; i < 4; i++) {{ try {{ if (i == 1) continue; if (i == 2) throw new IllegalStateException(); r += 1; }} catch (IllegalStateException e) {{ r += 10; }} finally {{ r += 100; }} }} return r; }}
    static int finRet() {{ int[] a = {{ 1 }}; return finHelper(a) * 100 + a[0]; }}
    static int finHelper(int[] a) {{ try {{ return a[0]; }} finally {{ a[0] = 9; }} }}
    @SuppressWarnings("finally") static int finOverride() {{ try {{ throw new RuntimeException(); }} finally {{ return 5; }} }}
    static int nestedTry() {{ int r = 0; try {{ try {{ throw new IllegalArgumentException("a"); }} catch (IllegalStateException e) {{ r = 1; }} finally {{ r += 2; }} }} catch (RuntimeException e) {{ r += 4; }} return r; }}
    static int deep(int n) {{ if (n == 0) throw new IndexOutOfBoundsException("deep"); try {{ return deep(n - 1) + 1; }} catch (IllegalStateException e) {{ return 0; }} }}
    static int unwind() {{ try {{ return deep(10); }} catch (RuntimeException e) {{ return e instanceof IndexOutOfBoundsException ? 77 : 0; }} }}
    static int sync() {{ Object o = new Object(); int r = 0; synchronized (o) {{ r = 1; try {{ synchronized (o) {{ if (opaque(1) == 1) throw new RuntimeException(); }} }} catch (RuntimeException e) {{ r += 5; }} }} return r + syncM(); }}
    static synchronized int syncM() {{ return 8; }}
    static int recursion() {{ return fib(15); }}
    static int fib(int n) {{ return n < 2 ? n : fib(n - 1) + fib(n - 2); }}
    static int sort() {{ int[] a = {{ 5, 3, 9, 1, 7 }}; for (int i = 1; i < a.length; i++) {{ int k = a[i], j = i - 1; while (j >= 0 && a[j] > k) {{ a[j + 1] = a[j]; j--; }} a[j + 1] = k; }} int r = 0; for (int x : a) r = r * 10 + x; return r; }}
    static int longLocals() {{ long a = 1; int i = 2; double d = 3; float f = 4; for (long k = 0; k < 5; k++) {{ a += k * i; d *= 2; f -= k; }} return (int) (a + d + f); }}
    static int slotReuse() {{ int r = 0; {{ int a = 3; r += a; }} {{ long b = 4; r += b; }} {{ float c = 5; r += c; }} {{ String s = "x"; r += s == null ? 1 : 2; }} return r; }}
    static int ternaryStack() {{ int a = opaque(3), b = opaque(4); return Math.max(a + 1, b > 3 ? a > 2 ? b * 2 : 7 : -1) + (a == 3 ? b : a) * (b == 3 ? 1 : 2); }}
    static int compound() {{ int[] a = {{ 1, 2, 3 }}; int i = 0; a[i++] += a[i] *= 3; return a[0] * 100 + a[1] * 10 + i; }}
    static int dupForms() {{ long[] l = {{ 5 }}; int[] a = {{ 4 }}; long x = l[0]++ + ++l[0]; int y = a[0]-- - --a[0]; H h = new H(); long z = h.l++ + ++h.l + (h.l += 3); H.s = H.t = 6; return (int) (x * 1000 + y * 100 + z) + H.s; }}
    static class H {{ long l = 2; static int s, t; }}
}}
"#
    );
    agree("C", &source);
}

#[test]
fn dispatch_and_initialisation_agree_with_the_jvm() {
    let source = format!(
        r#"
public class D {{ {MAIN}
    static int trace;
    static int mark(int x) {{ trace = trace * 10 + x; return x; }}
    interface I {{ int K = mark(9); default int m() {{ return 1; }} int n(); static int st() {{ return 33; }} }}
    interface J extends I {{ default int m() {{ return 2 + I.super.m(); }} }}
    interface X {{ int Z = mark(8); int q(); }}
    static abstract class P implements I {{ static {{ mark(1); }} public int n() {{ return p() + priv(); }} abstract int p(); private int priv() {{ return 100; }} int over() {{ return 1; }} }}
    static class Q extends P implements J, X {{ static int v = mark(2); int p() {{ return 5; }} private int priv() {{ return 200; }} int over() {{ return 10 + super.over(); }} public int q() {{ return 4; }} }}
    static final class R extends Q {{ static {{ mark(3); }} public int m() {{ return 50; }} int p() {{ return 6; }} }}
    static class Bad {{ static int x; static {{ mark(7); if (true) throw new IllegalStateException("bad"); }} }}
    static class Const {{ static final int C = 5; static final String S = "s"; static {{ mark(6); }} }}
    static class S1 {{ static int a = S2.b + 1; }}
    static class S2 {{ static int b = S1.a + 10; }}
    static int initOrder() {{ new R(); return trace; }}
    static int calls() {{ R r = new R(); Q q = new Q(); P p = r; I i = q; J j = r; return r.m() + q.m() * 3 + p.n() + i.n() * 2 + j.m() + q.over() + p.over() + I.st(); }}
    static int constNoInit() {{ int before = trace; int c = Const.C; return trace - before + c; }}
    static int arrayNoInit() {{ int before = trace; Bad[] b = new Bad[3]; return trace - before + b.length; }}
    static int failing() {{ int r = 0; try {{ Bad.x = 1; }} catch (ExceptionInInitializerError e) {{ r = 1; }} try {{ Bad.x = 2; }} catch (NoClassDefFoundError e) {{ r += 2; }} return r; }}
    static int circular() {{ return S1.a * 100 + S2.b; }}
    static int ifaceConst() {{ return X.Z; }}
    static int objMethods() {{ Object o = new int[2]; I i = new Q(); return (o.equals(o) ? 1 : 0) + (i.equals(null) ? 2 : 4); }}
    static int cloned() {{ int[] a = {{ 1, 2 }}; return a == null ? 1 : 2; }}
    enum E {{ A, B {{ int f() {{ return 7; }} }}; int f() {{ return ordinal() + 3; }} }}
    static int enums() {{ return E.A.f() * 10 + E.B.f() + E.values().length * 100; }}
    static int abstractCall() {{ P p = new P() {{ int p() {{ return 42; }} }}; return p.n(); }}
    class Inner {{ int v = 3; int get() {{ return v + outer; }} }}
    int outer = 20;
    static int inner() {{ return new D().new Inner().get(); }}
    static int generic() {{ Box<Integer> b = new Box<>(); b.t = null; return b.get() == null ? 5 : 6; }}
    static class Box<T> {{ T t; T get() {{ return t; }} }}
}}
"#
    );
    agree("D", &source);
}
