//! What depends on the surroundings is not asserted, and what generics demand is spelled: nothing is dropped or disagrees.

mod support;

use std::fs;

use support::Place;

/// The tests of a class, all of them confirmed.
fn written(place: &Place, class: &str) -> String {
    let mut command = place.command("generate");
    command.args(["-o", "out", &format!("a.{class}")]);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("dropped") && !said.contains("disagree"), "{said}");
    assert!(said.contains("0 open"), "{said}");
    fs::read_to_string(place.path().join(format!("out/a/{class}Test.java"))).unwrap()
}

const AROUND: &str = "package a; public class Around {
    public static String user() { return System.getProperty(\"user.name\"); }
    public static String file() { return new java.io.File(\"x\").getAbsolutePath(); }
    public static String machine() { return System.getProperty(\"java.vm.info\") + System.getProperty(\"os.version\"); }
    public static int callers() { return new Throwable().getStackTrace().length; }
    public static String method() { return Around.class.getDeclaredMethods()[0].getName(); }
    public static String thread() { return new Thread().getName(); }
    public static long decades() { return Math.round((double) System.currentTimeMillis() / 315_569_259_747L); }
    public static String separator() { return System.getProperty(\"file.separator\"); }
}";

#[test]
fn what_depends_on_the_surroundings_is_not_asserted() {
    let written = written(&Place::new("Around", AROUND), "Around");
    // The number of decades was asserted, as it was the same a year later.
    for method in ["user", "file", "machine", "callers", "method", "thread", "decades"] {
        assert!(written.contains(&format!("Around.{method}()")), "{method}: {written}");
        assert!(!written.contains(&format!(", Around.{method}())")), "{method}: {written}");
    }
    assert!(written.contains("assertEquals(\"/\", Around.separator())"), "{written}");
}

const SPELLED: &str = "package a; import java.util.*; import java.lang.reflect.*; public class Spelled {
    public static final class Span<T extends Comparable<T>> {
        private final T low, high;
        private Span(T low, T high) { this.low = low; this.high = high; }
        public T getLow() { return low; }
        public T getHigh() { return high; }
    }
    public static <T extends Comparable<T>> Span<T> between(T a, T b) {
        return a.compareTo(b) <= 0 ? new Span<>(a, b) : new Span<>(b, a);
    }
    public static <E extends Enum<E>> int mask(Class<E> type, Iterable<E> values) {
        return values == null ? -1 : 0;
    }
    @SafeVarargs public static <E extends Enum<E>> int mask(Class<E> type, E... values) {
        int mask = 0;
        for (E value : values) mask |= 1 << value.ordinal();
        return mask > 3 ? mask : 0;
    }
    public static Map<Class<?>, String> names(boolean all) {
        Map<Class<?>, String> names = new LinkedHashMap<>();
        names.put(int.class, \"int\");
        if (all) names.put(long.class, \"long\");
        return names;
    }
    public static int arguments(ParameterizedType type) {
        return type.getActualTypeArguments().length;
    }
}";

#[test]
fn generic_methods_are_called_as_the_compiler_wants_them() {
    let written = written(&Place::new("Spelled", SPELLED), "Spelled");
    for text in ["Span<String>", "(ParameterizedType)", "mask(RoundingMode.class, new RoundingMode[0])"] {
        assert!(written.contains(text), "{text}: {written}");
    }
}
