package com.acme;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The code under test of the emitter's samples: one member a way of writing a test. */
public class Calc {
    public enum Mode { PLAIN, FANCY }

    public static class Box<T> {
        private T value;

        public Box(T value) {
            this.value = value;
        }

        public T get() {
            return value;
        }

        public void set(T value) {
            this.value = value;
        }
    }

    private final int base;
    private int calls;
    public String label = "none";

    public Calc() {
        this(0);
    }

    public Calc(int base) {
        if (base < 0) {
            throw new IllegalArgumentException("base < 0: " + base);
        }
        this.base = base;
    }

    public int getBase() {
        return base;
    }

    public int getCalls() {
        return calls;
    }

    public int add(int x) {
        calls++;
        return base + x;
    }

    public Calc self() {
        return this;
    }

    public void check(int x) throws IOException {
        if (x > 9) {
            throw new IOException();
        }
    }

    public static int divide(int a, int b) {
        return a / b;
    }

    public static long twice(long x) {
        return x + x;
    }

    public static byte next(byte b) {
        return (byte) (b + 1);
    }

    public static short next(short s) {
        return (short) (s + 1);
    }

    public static char next(char c) {
        return (char) (c + 1);
    }

    public static boolean isOdd(int x) {
        return x % 2 != 0;
    }

    public static float half(float x) {
        return x / 2;
    }

    public static double half(double x) {
        return x / 2;
    }

    public static double sine(double x) {
        return Math.sin(x);
    }

    public static Integer box(Integer x) {
        return x == null ? null : x + 1;
    }

    public static Byte boxByte(Byte x) {
        return x;
    }

    public static Boolean boxBoolean(Boolean x) {
        return x;
    }

    public static Double boxDouble(Double x) {
        return x;
    }

    public static Object same(Object x) {
        return x;
    }

    public static <T> T identity(T x) {
        return x;
    }

    public static String name(Integer x) {
        return "Integer";
    }

    public static String name(int x) {
        return "int";
    }

    public static String name(Object x) {
        return "Object";
    }

    public static String name(String x) {
        return "String";
    }

    public static String name(byte x) {
        return "byte";
    }

    public static int count(String... names) {
        return names == null ? -1 : names.length;
    }

    public static int sum(byte... values) {
        int sum = 0;
        for (byte value : values) {
            sum += value;
        }
        return sum;
    }

    public static int sort(int[] values) {
        Arrays.sort(values);
        return values.length;
    }

    public static double[] halves(double[] values) {
        double[] halves = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            halves[i] = values[i] / 2;
        }
        return halves;
    }

    public static int[][] grid(int n) {
        return new int[n][n];
    }

    public static int length(String s) {
        return s.length();
    }

    public static String echo(String s) {
        return s;
    }

    public static int largest(int[] values) {
        return Arrays.stream(values).max().orElse(0);
    }

    public static Mode mode(boolean fancy) {
        return fancy ? Mode.FANCY : Mode.PLAIN;
    }

    public static List<Integer> range(int n) {
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            list.add(i);
        }
        return list;
    }

    public static Set<String> words(String s) {
        return new TreeSet<>(Arrays.asList(s.split(" ")));
    }

    public static Map<String, Long> lengths(String s) {
        Map<String, Long> map = new HashMap<>();
        map.put(s, (long) s.length());
        return map;
    }

    public static Optional<String> first(List<String> list) {
        return list.isEmpty() ? Optional.empty() : Optional.of(list.get(0));
    }

    public static void greet(String name) {
        System.out.println("Hello, " + name);
        System.err.print("!");
    }

    public static void require(int x) {
        if (x < 0) {
            throw new IllegalArgumentException("\"x\" < 0\n");
        }
    }

    public static Class<?> type(Object x) {
        return x.getClass();
    }

    public static void hang(boolean really) {
        while (really) {
            Thread.onSpinWait();
        }
    }

    public static void exit(int code) {
        System.exit(code);
    }

    public static long clock() {
        return System.nanoTime();
    }
}
