// Arithmetic, comparisons and conversions. Every static method without parameters is run.
public class Arithmetic {
    static int opaque(int x) { return x; }
    static long opaque(long x) { return x; }
    static float opaque(float x) { return x; }
    static double opaque(double x) { return x; }
    static int h(long x) { return (int) (x ^ (x >>> 32)); }
    static int h(double x) { return h(Double.doubleToRawLongBits(x)); }
    static int minDiv() { return opaque(Integer.MIN_VALUE) / opaque(-1); }
    static int minRem() { return opaque(Integer.MIN_VALUE) % opaque(-1); }
    static int negRem() { return opaque(-7) % opaque(3) * 100 + opaque(-7) / opaque(3); }
    static int lMinDiv() { return h(opaque(Long.MIN_VALUE) / opaque(-1L)); }
    static int shifts() { return (opaque(1) << opaque(33)) + (opaque(-8) >> opaque(34)) + (opaque(-8) >>> opaque(60)); }
    static int lshifts() { return h((opaque(1L) << opaque(65)) + (opaque(-8L) >> 3) + (opaque(-8L) >>> 70)); }
    static int bits() { return (opaque(0x1234) & 0xff0) | (opaque(7) ^ -1); }
    static int wrap() { return opaque(Integer.MAX_VALUE) + 1; }
    static int mul() { return opaque(123456789) * opaque(987654321); }
    static int lmul() { return h(opaque(123456789123L) * opaque(987654321987L) - opaque(5L)); }
    static int neg() { return -opaque(Integer.MIN_VALUE) + h(-opaque(7L)); }
    static int i2b() { return (byte) opaque(200) + (short) opaque(70000) + (char) opaque(-1); }
    static int f2i() { return (int) opaque(1e20f) ^ (int) opaque(Float.NaN) ^ (int) opaque(-3.9f); }
    static int d2l() { return h((long) opaque(-1e300)) ^ h((long) opaque(Double.NaN)) ^ h((long) opaque(3.99)); }
    static int frem() { return h(opaque(-5.5) % opaque(2.0)) + Float.floatToRawIntBits(opaque(5.5f) % opaque(-2f)); }
    static int fdiv() { return h(opaque(1.0) / opaque(0.0)) + h(opaque(-1.0) / 3); }
    static int l2f() { return Float.floatToRawIntBits((float) opaque(0x7fffffbfffffffffL)) + h((double) opaque(Long.MAX_VALUE)); }
    static int i2f() { return Float.floatToRawIntBits((float) opaque(16777217)) + h((double) opaque(7)) ; }
    static int fd() { return h((double) opaque(1.1f)) + Float.floatToRawIntBits((float) opaque(1e-50)); }
    static int lcmp() { long a = opaque(3L), b = opaque(4L); int r = 0; if (a < b) r |= 1; if (a <= b) r |= 2; if (a > b) r |= 4; if (a >= b) r |= 8; if (a == b) r |= 16; if (a != b) r |= 32; return r; }
    static int nan() { double a = opaque(Double.NaN), b = opaque(1.0); int r = 0; if (a < b) r |= 1; if (a <= b) r |= 2; if (a > b) r |= 4; if (a >= b) r |= 8; if (a == b) r |= 16; if (a != b) r |= 32; if (!(a < b)) r |= 64; if (!(a >= b)) r |= 128; return r; }
    static int fcmp() { float a = opaque(-0f), b = opaque(0f); int r = 0; if (a < b) r |= 1; if (a <= b) r |= 2; if (a > b) r |= 4; if (a >= b) r |= 8; if (a == b) r |= 16; if (a != b) r |= 32; return r; }
    static int boolCmp() { long a = opaque(3L); boolean x = a > 2, y = a != 3; double d = opaque(2.5); boolean z = d > 1 == true; return (x ? 1 : 0) + (y ? 2 : 0) + (z ? 4 : 0); }
    static int divZero() { return opaque(1) / opaque(0); }
    static int lremZero() { return h(opaque(1L) % opaque(0L)); }
    static int preInc() { int i = opaque(3); int j = i++ + ++i + i--; i += 3.7; return i * 100 + j; }
    static int swapped() { int a = opaque(1), b = opaque(2); int t = a; a = b; b = t; return a * 10 + b; }
    static int aliased() { int a = opaque(5); int b = a + (a = 7) * a; return b * 100 + a; }
}
