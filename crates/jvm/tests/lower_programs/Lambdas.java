// Lambdas and method references. Every static method without parameters is run.
import java.util.function.*;
import java.util.*;
public class Lambdas {
    int f = 7;
    Lambdas() { }
    Lambdas(int f) { this.f = f; }
    int add(int x) { return f + x; }
    private int priv(int x) { return f * x; }
    IntUnaryOperator bound() { return this::priv; }
    Supplier<IntUnaryOperator> nested() { return () -> x -> x + f; }
    static int twice(int x) { return 2 * x; }
    static long wide(int x) { return x + 1L; }
    static int noCapture() { IntUnaryOperator a = x -> x + 1; return a.applyAsInt(4); }
    static int same() { Runnable[] r = new Runnable[2]; for (int i = 0; i < 2; i++) r[i] = () -> { }; return r[0] == r[1] ? 1 : 0; }
    static int captures() { int a = 3; long b = 4; String s = "xyz"; double d = 2.5; ToIntFunction<Integer> g = x -> (int) (a + b * x + s.length() + d * 2); return g.applyAsInt(5); }
    static int boundRef() { return new Lambdas(6).bound().applyAsInt(7) + new Lambdas(2).nested().get().applyAsInt(3); }
    static int staticRef() { Function<Integer, Integer> f = Lambdas::twice; return f.apply(21); }
    static int unboundRef() { BiFunction<Lambdas, Integer, Integer> f = Lambdas::add; return f.apply(new Lambdas(9), 1); }
    static int ctorRef() { Function<Integer, Lambdas> f = Lambdas::new; Supplier<Lambdas> s = Lambdas::new; return f.apply(5).f * 10 + s.get().f; }
    static int arrayCtor() { IntFunction<int[][]> f = int[][]::new; return f.apply(3).length; }
    static int widening() { ToLongFunction<Integer> f = Lambdas::twice; IntToDoubleFunction g = Lambdas::wide; Function<Integer, Long> h = Lambdas::wide; return (int) (f.applyAsLong(4) + g.applyAsDouble(3) + h.apply(1)); }
    static int boxing() { Supplier<Object> s = () -> 5; IntFunction<Integer> f = x -> x; Comparator<Integer> c = Integer::compare; ToIntFunction<Object> t = o -> (Integer) o; return (Integer) s.get() + f.apply(4) + c.compare(1, 2) + t.applyAsInt(9); }
    static int nullUnbox() { ToIntFunction<Integer> f = Lambdas::twice; return f.applyAsInt(null); }
    static int nullReceiver() { Lambdas l = null; Supplier<Supplier<IntUnaryOperator>> s = l::nested; return 0; }
    @SuppressWarnings("unchecked") static int wrongType() { Function<Integer, Integer> f = Lambdas::twice; Function raw = f; try { raw.apply("x"); return 0; } catch (ClassCastException e) { return 1; } }
    static int ifaceRef() { Function<CharSequence, Integer> f = CharSequence::length; return f.apply("abcd") + f.apply(new StringBuilder("12")); }
    static int superRef() { return new M().go(); }
    static class M extends Lambdas { int add(int x) { return 1000; } int go() { IntUnaryOperator s = super::add; return s.applyAsInt(1); } }
    static int marker() { Runnable r = (Runnable & java.io.Serializable) () -> { }; return r instanceof java.io.Serializable ? 3 : 4; }
    interface Tri<A, B, C> { C go(A a, B b, int c); default Tri<A, B, C> self() { return this; } }
    static int custom() { Tri<String, Long, String> t = (a, b, c) -> a + b + c; return t.self().go("q", 12L, 3).length(); }
    static int defaults() { Function<Integer, Integer> f = x -> x + 1; return f.andThen(x -> x * 10).compose((Integer x) -> x - 3).apply(10); }
    static int recursive() { return new Object() { IntUnaryOperator f = n -> n < 2 ? n : this.f.applyAsInt(n - 1) + this.f.applyAsInt(n - 2); }.f.applyAsInt(10); }
    static int streams() { return Arrays.asList(3, 1, 2).stream().map(x -> x * 2).filter(x -> x > 2).mapToInt(Integer::intValue).sum(); }
    static String sorted() { List<String> l = new ArrayList<>(Arrays.asList("pear", "fig", "apple")); l.sort(Comparator.comparing(String::length).thenComparing(Comparator.reverseOrder())); return String.join(",", l); }
    static int optional() { return Optional.of("abc").map(String::length).orElseGet(() -> 0); }
    static int varargs() { Function<String[], List<String>> f = Arrays::asList; return f.apply(new String[] { "a", "b" }).size(); }
    interface G<T> { T get(T t); } interface GS extends G<String> { String get(String s); }
    static String bridged() { GS g = s -> s + "!"; G<String> h = g; return h.get("x") + g.get("y"); }
}
