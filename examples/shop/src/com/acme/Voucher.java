package com.acme;

/** Discounts as a small shop would write them. */
public class Voucher {
    public enum Kind {
        PERCENT,
        FIXED,
        SHIPPING
    }

    private final String code;
    private final Kind kind;
    private final int amount;
    private int uses;

    public Voucher(String code, Kind kind, int amount) {
        if (code == null || code.isEmpty()) {
            throw new IllegalArgumentException("a voucher needs a code");
        }
        if (kind == Kind.PERCENT && (amount < 0 || amount > 100)) {
            throw new IllegalArgumentException("not a percentage: " + amount);
        }
        this.code = code;
        this.kind = kind;
        this.amount = amount;
    }

    public String getCode() {
        return code;
    }

    public int getUses() {
        return uses;
    }

    /** The price in cents after the discount. */
    public long apply(long cents) {
        if (cents < 0) {
            throw new IllegalArgumentException("negative price");
        }
        uses++;
        switch (kind) {
            case PERCENT:
                return cents - cents * amount / 100;
            case FIXED:
                return amount > cents ? 0 : cents - amount;
            default:
                return cents;
        }
    }

    /** SUMMER-20 style codes carry their percentage. */
    public static int percentOf(String code) {
        int dash = code.lastIndexOf('-');
        if (dash < 0) {
            return 0;
        }
        int percent = Integer.parseInt(code.substring(dash + 1));
        if (percent > 100) {
            return 100;
        }
        return percent;
    }

    public static double average(int[] amounts) {
        if (amounts.length == 0) {
            return Double.NaN;
        }
        long sum = 0;
        for (int amount : amounts) {
            if (amount < 0) {
                throw new IllegalArgumentException("negative amount");
            }
            sum += amount;
        }
        return (double) sum / amounts.length;
    }
}
