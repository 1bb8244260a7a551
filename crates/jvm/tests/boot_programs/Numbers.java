/** Parsing and printing of numbers. */
public class Numbers {
    static void parse(String text) {
        try {
            System.out.println(Integer.parseInt(text));
        } catch (NumberFormatException e) {
            System.out.println(e.getMessage());
        }
        try {
            System.out.println(Double.parseDouble(text));
        } catch (NumberFormatException e) {
            System.out.println(e.getMessage());
        }
    }

    public static void main(String[] args) {
        for (String s : new String[] {"12", "-7", "2147483648", "", "abc", "1e10", "0.1", " 5", "0x10", "NaN", "1e400"}) parse(s);
        System.out.println(Integer.toHexString(-1) + Integer.toBinaryString(10) + Long.toString(-255, 16));
        System.out.println(0.1 + 0.2);
        System.out.println(1.0f / 3 + " " + 1e21 + " " + 1e-5 + " " + Double.MIN_VALUE + " " + Float.MAX_VALUE + " " + 100.0);
        System.out.println(Math.sqrt(2) + " " + Math.abs(-3) + " " + Math.floorMod(-7, 3) + " " + Math.round(2.5) + " " + Math.round(-2.5));
        System.out.println(Math.pow(2, 0.5) + " " + Math.hypot(3, 4) + " " + Math.cbrt(27) + " " + StrictMath.exp(1));
        System.out.println(Integer.MAX_VALUE + 1);
        System.out.println(Integer.bitCount(255) + Integer.numberOfLeadingZeros(1) + Integer.reverse(1) + Integer.highestOneBit(100));
        System.out.println((int) Double.NaN + " " + (long) 1e30 + " " + (byte) 200 + " " + (char) 65 + " " + (int) -1.9f);
        System.out.println(-7 / 2 + " " + -7 % 2 + " " + -7.5 % 2 + " " + 5.0 / 0 + " " + 0.0 / 0);
        System.out.println(new java.math.BigInteger("123456789012345678901234567890").pow(3).mod(java.math.BigInteger.valueOf(97)));
        System.out.println(new java.math.BigDecimal("1.10").add(new java.math.BigDecimal("2.205")).setScale(2, java.math.RoundingMode.HALF_EVEN));
        System.out.println(Long.parseUnsignedLong("18446744073709551615") + " " + Long.toUnsignedString(-1L) + " " + Integer.divideUnsigned(-1, 3));
        System.out.println(Integer.valueOf(127) == Integer.valueOf(127));
        System.out.println(Character.isLetter('ä') + " " + Character.getNumericValue('7') + Character.toUpperCase('ß') + Character.isDigit('٣'));
        try {
            System.out.println(1 / (args == null ? 0 : 1));
        } catch (ArithmeticException e) {
            System.out.println(e);
        }
        try {
            Math.addExact(Integer.MAX_VALUE, 1);
        } catch (ArithmeticException e) {
            System.out.println(e);
        }
    }
}
