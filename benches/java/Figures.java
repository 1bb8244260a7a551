package bench;

/** Code for the figures of `make bench`. */
public class Figures {
    /** Plain integer arithmetic in a loop. */
    public static int sum(int n) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            s = s * 31 + (i ^ (s >>> 3));
        }
        return s;
    }

    /** Arrays and calls. */
    public static int sieve(int n) {
        boolean[] composite = new boolean[n + 1];
        int count = 0;
        for (int i = 2; i <= n; i++) {
            if (!composite[i]) {
                count++;
                for (int j = i * 2; j <= n; j += i) {
                    mark(composite, j);
                }
            }
        }
        return count;
    }

    private static void mark(boolean[] composite, int at) {
        composite[at] = true;
    }

    /** Library code: strings, boxes, a hash map. */
    public static int words(int n) {
        java.util.HashMap<String, Integer> counts = new java.util.HashMap<>();
        for (int i = 0; i < n; i++) {
            counts.merge("word" + (i % 17), 1, Integer::sum);
        }
        return counts.size();
    }

    /** A small method with many paths. */
    public static int classify(int a, int b, int c) {
        int kind = 0;
        if (a > 10) kind += 1;
        if (b < a) kind += 2;
        if (c == 77) kind += 4;
        if ((a & 3) == 1) kind += 8;
        if (b + c > 100) kind += 16;
        if (c - a < -5) kind += 32;
        if ((b ^ c) == 5) kind += 64;
        if (a > c) kind += 128;
        if (b > 1000) kind += 256;
        if (a + b + c == 42) kind += 512;
        return kind;
    }

    /** Loops over symbolic arrays. */
    public static int inversions(int[] values) {
        int count = 0;
        for (int i = 0; i < values.length; i++) {
            for (int j = i + 1; j < values.length; j++) {
                if (values[i] > values[j]) {
                    count++;
                }
            }
        }
        return count;
    }

    /** String conditions. */
    public static int command(String line) {
        if (line.startsWith("get ")) return 1;
        if (line.equals("quit")) return 2;
        if (line.length() > 3 && line.charAt(3) == '=') return Integer.parseInt(line.substring(4));
        return 0;
    }

    /** One decision a bit: {@code depth} of them on each path. */
    private static int bits(long x, int depth) {
        int ones = 0;
        for (int i = 0; i < depth; i++) {
            if ((x >>> i & 1) == 1) {
                ones++;
            }
        }
        return ones;
    }

    public static int depth8(long x) {
        return bits(x, 8);
    }

    public static int depth16(long x) {
        return bits(x, 16);
    }

    public static int depth32(long x) {
        return bits(x, 32);
    }

    public static int depth64(long x) {
        return bits(x, 64);
    }

    /** The same decisions beside a heap of so many objects. */
    private static int among(int x, int objects) {
        Object[] all = new Object[objects];
        for (int i = 0; i < objects; i++) {
            all[i] = new int[2];
        }
        return bits(x, 8) + all.length;
    }

    public static int heap10(int x) {
        return among(x, 10);
    }

    public static int heap1000(int x) {
        return among(x, 1000);
    }

    /** Six numbers in order by three-way comparisons: 4683 paths. */
    public static int orderings(int a, int b, int c, int d, int e, int f) {
        int[] all = {a, b, c, d, e, f};
        for (int p = 1; p < all.length; p++) {
            int t = all[p];
            int j = p;
            while (j > 0 && compare(t, all[j - 1]) < 0) {
                all[j] = all[j - 1];
                j--;
            }
            all[j] = t;
        }
        return all[0];
    }

    private static int compare(int a, int b) {
        if (a > b) {
            return 1;
        }
        return a < b ? -1 : 0;
    }
}
