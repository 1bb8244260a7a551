// Control flow, arrays and exceptions. Every static method without parameters is run.
public class Control {
    static int opaque(int x) { return x; }
    static int loop() { int s = 0; for (int i = 0; i < 100; i++) { if (i % 3 == 0) continue; if (i > 90) break; s += i * i; } return s; }
    static int nested() { int s = 0; outer: for (int i = 0; i < 20; i++) for (int j = 0; j < 20; j++) { if (j == i) continue outer; if (i * j > 150) break outer; s += i ^ j; } return s; }
    static int tswitch() { int s = 0; for (int i = -2; i < 8; i++) switch (i) { case 0: s += 1; case 1: s += 10; break; case 3: s += 100; break; case 5: s += 1000; default: s += 7; } return s; }
    static int lswitch() { int s = 0; for (int x : new int[] { -1000, 5, 1 << 30, 77 }) switch (x) { case -1000: s += 1; break; case 1 << 30: s += 2; break; case 77: s += 4; break; default: s += 8; } return s; }
    static int yield_() { int x = opaque(4); return 1000 * switch (x) { case 1, 2 -> 3; case 4 -> { int y = x * 2; yield y + (y > 3 ? 1 : 2); } default -> 0; } + x; }
    static int cond() { int r = 0; for (int m = 0; m < 8; m++) { boolean a = (m & 1) != 0, b = (m & 2) != 0, c = (m & 4) != 0; r = r * 2 + (a && (b || !c) ? 1 : 0); r = r * 2 + (a || b && c ? 1 : 0); r += (a ? b : c) ? 1 : 0; } return r; }
    static int arrays() { byte[] b = { -1, 2 }; short[] s = { (short) 40000 }; char[] c = { 'x', 65535 }; long[] l = { 1L << 40 }; boolean[] z = { true, false }; float[] f = { 1.5f }; double[] d = { 2.5 }; b[1] += 300; c[0]++; z[1] = !z[0]; l[0] >>= 35; return b[0] + b[1] * 3 + s[0] + c[0] + c[1] + (int) l[0] + (z[1] ? 7 : 9) + (int) (f[0] * d[0]); }
    static int multi() { int[][][] a = new int[2][3][]; a[1][2] = new int[] { 4, 5 }; long[][] l = new long[3][4]; l[2][3] = 9; return a.length * 100 + a[0].length * 10 + a[1][2][1] + (a[0][0] == null ? 1000 : 0) + (int) l[2][3] + l[1].length; }
    static int zeroMulti() { return new int[0][-1].length; }
    static int oob() { int[] a = new int[opaque(3)]; return a[opaque(3)]; }
    static int oobNeg() { int[] a = new int[opaque(3)]; a[opaque(-1)] = 1; return 0; }
    static int npe() { int[] a = null; if (opaque(1) == 0) a = new int[1]; try { return a.length; } catch (NullPointerException e) { return -5; } }
    static int negSize() { return new int[opaque(-1)].length; }
    static int store() { Object[] a = new String[1]; a[0] = new Control(); return 0; }
    static int cast() { Object o = new Control(); return ((String) o).length(); }
    static int cast2() { Object o = "x"; return ((Control) o).hashCode(); }
    static int cast3() { Object o = new int[1]; return ((Object[]) o).length; }
    static int nullCast() { Object o = null; String s = (String) o; return s == null ? 3 : 4; }
    static int inst() { Object[] os = { "s", new int[0], new String[0], null, new Control(), new int[0][] }; int r = 0; for (Object o : os) r = r * 16 + (o instanceof String ? 1 : 0) + (o instanceof Object[] ? 2 : 0) + (o instanceof Comparable ? 4 : 0) + (o instanceof Cloneable ? 8 : 0); return r; }
    static int fin() { int r = 0; for (int i = 0; i < 4; i++) { try { if (i == 1) continue; if (i == 2) throw new IllegalStateException(); r += 1; } catch (IllegalStateException e) { r += 10; } finally { r += 100; } } return r; }
    static int finRet() { int[] a = { 1 }; return finHelper(a) * 100 + a[0]; }
    static int finHelper(int[] a) { try { return a[0]; } finally { a[0] = 9; } }
    @SuppressWarnings("finally") static int finOverride() { try { throw new RuntimeException(); } finally { return 5; } }
    static int nestedTry() { int r = 0; try { try { throw new IllegalArgumentException("a"); } catch (IllegalStateException e) { r = 1; } finally { r += 2; } } catch (RuntimeException e) { r += 4; } return r; }
    static int deep(int n) { if (n == 0) throw new IndexOutOfBoundsException("deep"); try { return deep(n - 1) + 1; } catch (IllegalStateException e) { return 0; } }
    static int unwind() { try { return deep(10); } catch (RuntimeException e) { return e instanceof IndexOutOfBoundsException ? 77 : 0; } }
    static int sync() { Object o = new Object(); int r = 0; synchronized (o) { r = 1; try { synchronized (o) { if (opaque(1) == 1) throw new RuntimeException(); } } catch (RuntimeException e) { r += 5; } } return r + syncM(); }
    static synchronized int syncM() { return 8; }
    static int recursion() { return fib(15); }
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    static int sort() { int[] a = { 5, 3, 9, 1, 7 }; for (int i = 1; i < a.length; i++) { int k = a[i], j = i - 1; while (j >= 0 && a[j] > k) { a[j + 1] = a[j]; j--; } a[j + 1] = k; } int r = 0; for (int x : a) r = r * 10 + x; return r; }
    static int longLocals() { long a = 1; int i = 2; double d = 3; float f = 4; for (long k = 0; k < 5; k++) { a += k * i; d *= 2; f -= k; } return (int) (a + d + f); }
    static int slotReuse() { int r = 0; { int a = 3; r += a; } { long b = 4; r += b; } { float c = 5; r += c; } { String s = "x"; r += s == null ? 1 : 2; } return r; }
    static int ternaryStack() { int a = opaque(3), b = opaque(4); return Math.max(a + 1, b > 3 ? a > 2 ? b * 2 : 7 : -1) + (a == 3 ? b : a) * (b == 3 ? 1 : 2); }
    static int compound() { int[] a = { 1, 2, 3 }; int i = 0; a[i++] += a[i] *= 3; return a[0] * 100 + a[1] * 10 + i; }
    static int dupForms() { long[] l = { 5 }; int[] a = { 4 }; long x = l[0]++ + ++l[0]; int y = a[0]-- - --a[0]; H h = new H(); long z = h.l++ + ++h.l + (h.l += 3); H.s = H.t = 6; return (int) (x * 1000 + y * 100 + z) + H.s; }
    static class H { long l = 2; static int s, t; }
}
