package com.acme;

/** The class of the README's first example. */
public class Calc {
    public static int divide(int a, int b) {
        return a / b;
    }

    public static int clamp(int value, int low, int high) {
        if (low > high) {
            throw new IllegalArgumentException("low > high");
        }
        if (value < low) {
            return low;
        }
        return value > high ? high : value;
    }

    /** Looks harmless; there is one int whose absolute value is negative. */
    public static int bucket(int hash, int buckets) {
        return Math.abs(hash) % buckets;
    }
}
