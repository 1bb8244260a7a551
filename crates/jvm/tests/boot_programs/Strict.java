/** StrictMath on many arguments, as a checksum of bits and some samples. */
public class Strict {
    static long state = 42;

    static double next() {
        state = state * 6364136223846793005L + 1442695040888963407L;
        long bits = state ^ (state >>> 29);
        switch ((int) (state >>> 61)) {
            case 0: return Double.longBitsToDouble(bits);
            case 1: return (bits >> 40) / 65536.0;
            case 2: return bits * 0x1p-63;
            case 3: return bits * 0x1p-50;
            case 4: return (bits >> 50) * Math.PI / 4;
            case 5: return bits * 0x1p-54;
            case 6: return bits * 0x1p-20;
            default: return bits * 0x1p-61;
        }
    }

    public static void main(String[] args) {
        long[] sums = new long[18];
        for (int i = 0; i < 3000; i++) {
            double x = next();
            double y = next();
            double[] all = {
                StrictMath.sin(x), StrictMath.cos(x), StrictMath.tan(x), StrictMath.asin(x), StrictMath.acos(x),
                StrictMath.atan(x), StrictMath.log(x), StrictMath.log10(x), StrictMath.log1p(x), StrictMath.expm1(x),
                StrictMath.sinh(x), StrictMath.cosh(x), StrictMath.tanh(x), StrictMath.atan2(x, y),
                StrictMath.IEEEremainder(x, y), StrictMath.sqrt(x), StrictMath.exp(x), StrictMath.pow(x, y),
            };
            for (int j = 0; j < all.length; j++) {
                sums[j] = sums[j] * 31 + Double.doubleToLongBits(all[j]);
            }
            if (i % 500 == 0) for (double d : all) System.out.print(d + " ");
        }
        for (long sum : sums) System.out.println(sum);
        double[] special = {0.0, -0.0, 1, -1, 0.5, -0.5, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MIN_VALUE, Double.MAX_VALUE, Math.PI, Math.PI / 2, 1e22, 710, -746};
        for (double a : special) {
            System.out.println(StrictMath.sin(a) + " " + StrictMath.cos(a) + " " + StrictMath.tan(a) + " " + StrictMath.asin(a) + " " + StrictMath.acos(a) + " " + StrictMath.atan(a)
                + " " + StrictMath.log(a) + " " + StrictMath.log10(a) + " " + StrictMath.log1p(a) + " " + StrictMath.expm1(a) + " " + StrictMath.sinh(a) + " " + StrictMath.cosh(a) + " " + StrictMath.tanh(a));
            for (double b : special) System.out.print(StrictMath.atan2(a, b) + " " + StrictMath.IEEEremainder(a, b) + " ");
        }
    }
}
