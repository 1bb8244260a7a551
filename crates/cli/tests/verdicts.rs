//! Verdicts of criteria on code through the binary: what proofs know besides the code, decisions as they are written, sources.

mod support;

use std::fs;
use std::process::Output;

use support::Place;

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The lines about something.
fn about<'t>(told: &'t str, what: &str) -> Vec<&'t str> {
    told.lines().filter(|line| line.contains(what)).collect()
}

/// Loops without end, so that nothing is infeasible because all paths were explored.
const ENDLESS: &str = "package a;
public class Endless {
    public static int move(int[] from, int[] to, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            if (from == to) {
                return -1;
            }
            sum += i;
        }
        return sum;
    }

    public static int kind(Object o, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            if (o instanceof Integer) {
                if (o instanceof String) {
                    return -1;
                }
                sum++;
            }
        }
        return sum;
    }

    public static int mean(int[] xs, int n) {
        int sum = 0, count = 0;
        for (int i = 0; i < n; i++) {
            if (xs[i] < 0) continue;
            sum += xs[i];
            count++;
        }
        if (count == 0) return -1;
        return sum / count;
    }
}
";

#[test]
fn parameters_that_are_never_the_same_prove() {
    let place = Place::new("Endless", ENDLESS);
    let cover = || {
        let mut command = place.command("cover");
        text(&command.args(["--work", "1000000", "a.Endless#move"]).output().unwrap())
    };
    let told = cover();
    assert!(about(&told, "from == to")[0].contains("covered by"), "{told}");
    // Two that are null are not the same object.
    let rule = "[[method]]\nname = \"a.Endless#move\"\ninputs.from = { non-null = true }\nnever-same = [[\"from\", \"to\"]]\n";
    fs::write(place.path().join("testwright.toml"), rule).unwrap();
    let told = cover();
    let same = about(&told, ": from == to");
    assert!(same[0].contains("infeasible: ") && same[0].contains("testwright.toml"), "{told}");
    assert!(about(&told, "from != to")[0].contains("covered by"), "{told}");
}

#[test]
fn no_object_is_of_two_classes_that_exclude_each_other() {
    let place = Place::new("Endless", ENDLESS);
    let mut command = place.command("cover");
    let told = text(&command.args(["--work", "1000000", "a.Endless#kind"]).output().unwrap());
    let both = about(&told, ", line 18: o instanceof String: ");
    assert!(both[0].contains("infeasible: o instanceof Integer (line 17) and o instanceof String"), "{told}");
}

/// What every way between a definition and a use passes counts, however long the ways are.
#[test]
fn values_that_conditions_between_keep_from_their_use_are_infeasible() {
    let place = Place::new("Endless", ENDLESS);
    let mut command = place.command("cover");
    let args = ["--work", "1000000", "--criterion", "all-uses", "a.Endless#mean"];
    let told = text(&command.args(args).output().unwrap());
    for value in ["sum as set in line 28 is used in line 35", "count as set in line 28 is used in line 35"] {
        assert!(about(&told, value)[0].contains("infeasible: count != 0 (line 34)"), "{told}");
    }
    assert!(about(&told, "sum as set in line 31 is used in line 35")[0].contains("covered by"), "{told}");
}

/// Where loops were gone through more often because something was wanted, and that was all there is, nothing is left open.
#[test]
fn bounds_that_were_raised_leave_nothing_open() {
    let source = "package a;
public class Rounds {
    public static int nested(byte a, byte b) {
        int sum = 0;
        for (int i = 0; i < (a & 15); i++) {
            for (int j = 0; j < (b & 3); j++) {
                if (i == 7 && j == 2) {
                    sum++;
                }
            }
            if (sum > 1) {
                return -1;
            }
        }
        return sum;
    }
}
";
    let place = Place::new("Rounds", source);
    let mut command = place.command("cover");
    let told = text(&command.args(["--criterion", "prime-path", "a.Rounds#nested"]).output().unwrap());
    assert!(told.lines().last().unwrap().ends_with(" 0 open"), "{told}");
    assert!(about(&told, "infeasible: all paths were explored").len() > 1, "{told}");
}

const WRITTEN: &str = "package a;
public class Written {
    private int x;
    private static int s;
    private final int[] t = new int[2];

    static boolean odd(int v) { return (v & 1) == 1; }

    static boolean many(int... all) { return all.length > 1 && all[0] > all[1]; }

    public int lines(int v, boolean b, Object o) {
        if (b
            && odd(v)
            && v < 50) {
            return 1;
        }
        if (o instanceof String text
            && text.length() > 2
            || o instanceof Integer
                && odd((Integer) o)) {
            return 2;
        }
        if (b)
            if (v > 100)
                return 3;
        return 0;
    }

    public int stores(int v, boolean b) {
        if (b && (x = v + 1) > 3) return 1;
        if (b || (s = v) > 7) return 2;
        if (v < 0 && (t[1] = v) > -9) return 3;
        if (v != 5 && ++x > 6) return 4;
        if (v != 4 && x-- > 2) return 5;
        if (v > 2 && many(v, x)) return 6;
        return 0;
    }

    public int chosen(int v, int w, boolean b) {
        if (v < 0 || Math.abs(b ? w : v) > 99 || w == 2) return 1;
        if (v > 3
            && (b
                ? w
                : v - 1) > 3
            && w != v) return 2;
        if (v == 1 && Math.max(w > 0 && b ? w : 0, 1) == 1) return 3;
        return 0;
    }

    public int casts(Object o, boolean b) {
        if (b) {
            String text = (String) o;
            if (text.length() > 2) {
                return 1;
            }
        }
        return 0;
    }
}
";

#[test]
fn decisions_are_as_they_are_written() {
    let place = Place::new("Written", WRITTEN);
    let mut command = place.command("cover");
    let told = text(&command.args(["--criterion", "mcdc", "a.Written"]).output().unwrap());
    for (decision, conditions) in [
        ("line 12: ", "b && odd(v) && v < 50"),
        ("line 17: ", "(o instanceof String && text.length() > 2) || (o instanceof Integer && odd(o))"),
        ("line 30: ", "b && v + 1 > 3"),
        ("line 31: ", "b || v > 7"),
        ("line 32: ", "v < 0 && v > -9"),
        ("line 33: ", "v != 5 && x + 1 > 6"),
        ("line 34: ", "v != 4 && x > 2"),
        ("line 35: ", "v > 2 && many(v, x)"),
        // An operand that is chosen is a decision within the other one.
        ("line 40: ", "v < 0 || Math.abs(b ? w : v) > 99 || w == 2"),
        ("line 41: ", "v > 3 && (b ? w : v - 1) > 3 && w != v"),
        ("line 46: ", "v == 1 && Math.max(… ? w : 0, 1) == 1"),
    ] {
        let of: Vec<&str> =
            about(&told, decision).into_iter().filter(|line| line.contains(conditions)).collect();
        let count = conditions.matches("&&").count() + conditions.matches("||").count() + 1;
        assert_eq!(of.len(), count, "{conditions}\n{told}");
        let all = about(&told, decision);
        let within =
            |line: &&&str| line.contains(&format!("of {conditions}")) || !line.contains("outcome of ");
        assert!(all.iter().filter(|line| !within(line)).all(|line| line.contains("w > 0 && b")), "{told}");
    }
    let choice = about(&told, "b independently affects the outcome: ");
    assert!(choice.iter().any(|line| line.contains("line 40")), "{told}");
    assert!(choice.iter().any(|line| line.contains("line 42")), "{told}");
    assert_eq!(about(&told, "outcome of w > 0 && b: ").len(), 2, "{told}");
    // A statement of its own, though it begins with a cast as what a pattern names does.
    assert!(about(&told, "line 51: ")[0].contains("b independently affects the outcome: "), "{told}");
    assert!(
        about(&told, "line 53: ")[0].contains("text.length() > 2 independently affects the outcome: "),
        "{told}"
    );
    // A statement of its own is another decision.
    assert!(about(&told, "line 23: ")[0].contains("b independently affects the outcome: "), "{told}");
    assert!(about(&told, "line 24: ")[0].contains("v > 100 independently affects the outcome: "), "{told}");
}

const KOTLIN: &str = "package a

fun lines(v: Int, w: Int, b: Boolean): Int {
    if (v > 3 &&
        w > 1 ||
        b
    ) {
        return 1
    }
    return 0
}

fun range(s: String?): Boolean =
    s != null
        && s.length in 3..5
        && !s.startsWith(\"x\")

fun guards(numbers: IntArray, low: Int, high: Int): Int {
    var sum = 0
    for (n in numbers) {
        if (n < low || n == 7) continue
        if (n > high) break
        val twice = 2 * n
        if (twice > 50) {
            sum += twice
        }
    }
    return sum
}

class Node(val name: String?, val next: Node?)

fun safe(node: Node?): Int {
    if (node?.next?.name != null &&
        node.next.name.length > 2
    ) return 1
    return 0
}

fun kind(x: Any): Int = when (x) {
    is String -> 1
    in listOf(1, 2) -> 2
    !is Int -> 3
    else -> 4
}

fun counted(numbers: List<Int>): Int =
    numbers.count { it > 3 }

fun named(nodes: List<Node>, name: String): Boolean = nodes.any { it.name == name }
";

#[test]
fn decisions_of_kotlin_are_as_they_are_written() {
    let place = Place::of_kotlin("Told", KOTLIN);
    let mut command = place.command("cover");
    let told = text(&command.args(["--criterion", "mcdc", "a.ToldKt"]).output().unwrap());
    for (line, conditions) in [
        ("line 4: ", "(v > 3 && w > 1) || b"),
        ("line 14: ", "s != null && s.length() >= 3 && s.length() < 6 && !s.startsWith(\"x\")"),
        // What comes behind a jump is another statement, and so is what comes behind an assignment.
        ("line 21: ", "n < low || n == 7"),
        ("line 22: ", "n <= high"),
        ("line 24: ", "twice > 50"),
        ("line 34: ", "node != null && node.getNext() != null"),
        ("line 34: ", "node.getNext().getName() != null && node.getNext().getName().length() > 2"),
        ("line 42: ", "listOf(1, 2).contains(x)"),
        ("line 43: ", "!(x instanceof Integer)"),
        // What was copied from the library is none of the source's.
        ("line 48: ", "it > 3"),
        // What the library asks of what the source computes is the source's, told as it is compiled.
        ("line 50: ", "it.getName() != name"),
    ] {
        let count = conditions.matches("&&").count() + conditions.matches("||").count() + 1;
        let whole = match count {
            1 => format!("{line}{conditions} independently affects the outcome: "),
            _ => format!(" independently affects the outcome of {conditions}: "),
        };
        let of = about(&told, &whole);
        assert!(of.len() == count && of.iter().all(|one| one.contains(line)), "{conditions}\n{told}");
    }
    assert_eq!((about(&told, "line 48: ").len(), about(&told, "line 50: ").len()), (1, 1), "{told}");
    assert!(told.lines().last().unwrap().ends_with(" 0 infeasible, 0 open"), "{told}");
}

#[test]
fn objects_that_are_nothing_that_is_asked_for_are_made_where_a_class_has_none() {
    let source = "package a;
public final class Util {
    private Util() {}
    public static int kind(Object x) {
        if (x == null) return -1;
        if (x instanceof String) return 1;
        if (!(x instanceof Integer)) return 2;
        return 3;
    }
}
";
    let place = Place::new("Util", source);
    let told = text(&place.command("cover").args(["a.Util#kind"]).output().unwrap());
    assert!(told.ends_with("6 covered, 0 infeasible, 0 open\n"), "{told}");
}

#[test]
fn switches_over_components_that_always_fit_are_not_asked_for() {
    let source = "package a;
public class Forms {
    public sealed interface Form permits Rect, Dot {}
    public record Rect(int w, int h) implements Form {}
    public record Dot(int x) implements Form {}
    public static int kind(Form f) {
        return switch (f) {
            case Rect(int w, int h) when w == h && w > 0 -> 1;
            case Rect(int w, int h) -> w > h ? 2 : 3;
            case Dot d -> 4;
        };
    }
}
";
    let place = Place::of_release(21, "Forms", source);
    let told = text(&place.command("cover").args(["--criterion", "mcdc", "a.Forms#kind"]).output().unwrap());
    assert!(!told.contains("the switch"), "{told}");
    assert_eq!(about(&told, " of w == h && w > 0: ").len(), 2, "{told}");
    assert!(told.lines().last().unwrap().ends_with(" 0 infeasible, 0 open"), "{told}");
}

#[test]
fn pages_show_sources_from_where_they_are_said_to_be() {
    let place = Place::new("Written", WRITTEN);
    fs::create_dir_all(place.path().join("elsewhere/a")).unwrap();
    fs::write(place.path().join("elsewhere/a/Written.java"), WRITTEN).unwrap();
    let page = |folder: &str, more: &[&str]| {
        let mut command = place.command("generate");
        let report = format!("html={folder}");
        let args = ["-o", "out", "--no-run", "--report", &report, "a.Written"];
        text(&command.args(args).args(more).output().unwrap());
        let pages = fs::read_dir(place.path().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        pages.filter_map(|page| fs::read_to_string(page).ok()).collect::<String>()
    };
    let line = "(t[1] = v) &gt; -9";
    assert!(!page("without", &[]).contains(line));
    assert!(page("with", &["--source-path", "elsewhere"]).contains(line));
}

const FEW: &str = "package a;
public class Few {
    public static int triangle(int a, int b, int c) {
        int same = 0;
        if (a <= 0 || b <= 0 || c <= 0) return -1;
        if (a + b <= c || a + c <= b || b + c <= a) return 0;
        if (a == b) same++;
        if (b == c) same++;
        if (a == c) same++;
        return same;
    }

    public static int flags(int x, boolean p, boolean q) {
        int flags = 0;
        if (x > 3 && p) flags |= 1;
        if (x < 9 || q) flags |= 2;
        if (p ^ q) flags |= 4;
        if ((x & 1) == 0) flags |= 8;
        if (x % 5 == 2 && !q) flags |= 16;
        return flags;
    }
}
";

/// All inputs were tried to know how many tests there must be.
#[test]
fn suites_are_the_smallest_of_short_methods() {
    let place = Place::new("Few", FEW);
    for (method, fewest, more) in [
        ("triangle", 8, None),
        ("flags", 3, None),
        ("triangle", 8, Some("--exhaustive")),
        ("flags", 3, Some("--exhaustive")),
    ] {
        let mut command = place.command("generate");
        let target = format!("a.Few#{method}");
        let args = ["-o", method, "--no-run", "--criterion", "branch", &target];
        text(&command.args(args).args(more).output().unwrap());
        let written = fs::read_to_string(place.path().join(method).join("a/FewTest.java")).unwrap();
        assert_eq!(written.matches("@Test").count(), fewest, "{written}");
    }
}

/// Branches that have nothing to do with each other: two tests go all ways, and about four all ways of each two neighbours.
#[test]
fn suites_of_independent_branches_are_small() {
    let names: Vec<String> = ('a'..='p').map(String::from).collect();
    let parameters: Vec<String> = names.iter().map(|name| format!("int {name}")).collect();
    let code: String = names.iter().map(|name| format!("        if ({name} > 0) r = r * 2 + 1;\n")).collect();
    let parameters = parameters.join(", ");
    let source = format!(
        "package a;\npublic class Many {{\n    public static int of({parameters}) {{\n        int r = 0;\n{code}        return r;\n    }}\n}}\n"
    );
    let place = Place::new("Many", &source);
    for (criterion, most) in [("branch", 2), ("mcdc", 2), ("edge-pair", 5)] {
        let told =
            text(&place.command("cover").args(["--criterion", criterion, "a.Many#of"]).output().unwrap());
        assert!(told.contains(" 0 infeasible, 0 open"), "{told}");
        let words = told.split([' ', '\n', ',']);
        let tests: std::collections::BTreeSet<&str> = words.filter(|word| word.starts_with("of_")).collect();
        assert!(tests.len() <= most, "{criterion}: {tests:?}");
    }
}

/// What memory holds is known on a way until something may have written there.
const MEMORY: &str = "package a;
public class Memory {
    private boolean set;
    private int kept;
    private volatile int shared;
    static int calls;

    public static int highest(int[] a) {
        int max = a[0];
        for (int i = 0; i < a.length; i++) {
            if (a[i] > max) max = a[i];
        }
        return max;
    }

    public int decided(int a, boolean c) {
        this.set = a > 10 || (c && a < 0);
        return set == c ? 1 : 2;
    }

    public static int aliased(int[] a, int[] b, int i) {
        if (a[i] != 1) return 0;
        b[0] = 2;
        if (a[i] == 2) return 1;
        return 2;
    }

    public static int other(Memory m, Memory n) {
        if (m.kept != 1) return 0;
        n.kept = 2;
        if (m.kept == 2) return 1;
        return 2;
    }

    public int called(int x) {
        if (kept != x) return 0;
        change();
        if (kept != x) return 1;
        return 2;
    }

    public void change() {
        kept++;
    }

    public int twice() {
        if (shared == 1 && shared == 2) return 1;
        return 2;
    }

    public int plain(int n) {
        for (int i = 0; i < n; i++) {
            if (kept == 1 && kept == 2) return 1;
        }
        return 2;
    }

    public static int bounded(int a) {
        if (Math.max(a, 3) < 3) return 1;
        if (half(a) > 1_500_000_000) return 2;
        return Math.abs(a) < 0 ? 3 : 4;
    }

    private static int half(int n) {
        return n / 2;
    }
}
";

#[test]
fn what_memory_holds_is_known_until_it_may_be_written() {
    let place = Place::new("Memory", MEMORY);
    let told = |criterion: &str, method: &str| {
        let target = format!("a.Memory#{method}");
        text(&place.command("cover").args(["--criterion", criterion, &target]).output().unwrap())
    };
    // A highest number that is the first one is not below the first one.
    let paths = told("prime-path", "highest");
    assert!(paths.contains(" 0 open"), "{paths}");
    assert!(paths.contains("infeasible: a[i] > max (line 11) cannot hold on this path"), "{paths}");
    assert!(told("all-du-paths", "decided").contains(" 0 open"));
    // Another array or object may be the same one, a call may write, and so may another thread.
    for method in ["aliased", "other", "called"] {
        let branches = told("branch", method);
        assert!(branches.contains(" 0 infeasible"), "{branches}");
    }
    assert!(!told("branch", "twice").contains("cannot hold"));
    assert!(
        told("branch", "plain")
            .contains("kept == 2: infeasible: kept == 1 (line 53) and kept == 2 (line 53) cannot")
    );
    // Nothing that the class keeps matters to arithmetic.
    let bounded = told("branch", "bounded");
    assert!(bounded.contains("5 covered, 2 infeasible, 0 open"), "{bounded}");
}

const RETRIES: &str = "package a;
public class Retries {
    public interface Source { String ask(int n) throws java.io.IOException; }

    public static String fetch(Source source, int most) throws java.io.IOException {
        int tries = 0;
        while (true) {
            try {
                return source.ask(tries);
            } catch (java.io.IOException e) {
                if (++tries >= most) throw e;
            }
        }
    }

    public static boolean[] flags(int a, int b) {
        boolean[] r = new boolean[2];
        r[0] = a > 3 && b < 5;
        r[1] = !(a == b || b > 7);
        return r;
    }

    public static boolean chosen(int a, int b, boolean c) {
        return c ? a > 3 && b > 4 : a < 0 || b < 0;
    }

    public static int last(int a, int b) {
        int r = 0;
        try {
            r = a / b;
        } finally {
            r += 1;
            if (a > 10) r += 2;
        }
        return r;
    }
}
";

#[test]
fn loops_that_go_round_by_a_handler_owe_and_what_is_kept_in_arrays_is_one_decision() {
    let place = Place::new("Retries", RETRIES);
    let told = |criterion: &str, method: &str| {
        let target = format!("a.Retries#{method}");
        text(&place.command("cover").args(["--criterion", criterion, &target]).output().unwrap())
    };
    let loops = told("loop", "fetch");
    assert_eq!(about(&loops, "the loop is").len(), 3, "{loops}");
    assert_eq!(about(&loops, "covered by").len(), 2, "{loops}");
    let flags = told("mcdc", "flags");
    for decision in ["a > 3 && b < 5", "a != b && b <= 7"] {
        assert_eq!(about(&flags, &format!("the outcome of {decision}: covered")).len(), 2, "{flags}");
    }
    let chosen = told("mcdc", "chosen");
    let whole = "c ? (a > 3 && b > 4) : (a < 0 || b < 0): covered";
    assert_eq!(about(&chosen, whole).len(), 5, "{chosen}");
    // `finally` is on its own lines, whether copied or not; what passes the exception on is on none.
    let lines = told("line", "last");
    let all = about(&lines, "Retries.last").len();
    assert_eq!((all, about(&lines, "covered by").len()), (5, 5), "{lines}");
}

/// What no call of a test leads to.
const UNCALLED: &str = "package a;
public class Uncalled {
    private static final int[] SQUARES = new int[9];
    private static final Size SIZE = Size.SMALL;
    private int kept;

    enum Size { SMALL, LARGE }

    static {
        for (int i = 0; i < SQUARES.length; i++) {
            SQUARES[i] = i > 7 ? square(i) : -1;
        }
    }

    public Uncalled() {}

    private Uncalled(int a, int b) {
        kept = a > b ? a : b;
    }

    private static int square(int n) {
        return n < 0 ? 0 : n * n;
    }

    private int left(int n) {
        return n > 5 ? right(n) : 0;
    }

    private int right(int n) {
        return n == 3 ? 1 : 2;
    }

    private int referred(int n) {
        return n == 4 ? 1 : 2;
    }

    private Object readResolve() {
        return kept == 0 ? null : this;
    }

    public int at(int n) {
        java.util.function.IntUnaryOperator f = this::referred;
        return f.applyAsInt(n);
    }

    private static class Unused {
        int of(int n) {
            return n > 2 ? 1 : 0;
        }
    }
}
";

#[test]
fn code_that_no_call_leads_to_is_accounted_for() {
    let place = Place::new("Uncalled", UNCALLED);
    let told = text(&place.command("cover").arg("a.Uncalled").output().unwrap());
    let all = |what: &str, verdict: &str, count: usize| {
        let lines = about(&told, what);
        assert!(lines.len() == count && lines.iter().all(|line| line.contains(verdict)), "{what}:\n{told}");
    };
    all("initialisation of", ": covered by", 4);
    all("new Uncalled.Size(", ": covered by", 1);
    all("new Uncalled(int, int)", ": infeasible: nothing calls it", 2);
    all(".left(", ": infeasible: nothing calls it", 2);
    all(".right(", ": infeasible: nothing calls it", 2);
    all(".referred(", ": covered by", 2);
    // Others than this class may call these.
    all(".readResolve(", ": open: no call was found", 2);
    all("Unused.of(", ": open: no call was found", 2);
    // What only the initialiser calls, it calls with what it has.
    all("n < 0: open: an initialiser runs once", "", 1);
    all("n >= 0: covered by", "", 1);
}

/// Earlier calls decide what these meet: on what they are given, and on what other classes keep.
const EARLIER: &str = "package a;
import java.util.*;
public class Earlier {
    public static boolean high(Pile pile) {
        return pile.size() > 30;
    }

    public static boolean known(Set<String> names) {
        return names.size() > 20;
    }

    public static boolean full() {
        return Store.count() > 20;
    }

    public static boolean shared(String name) {
        return Registry.getInstance().has(name);
    }

    public static boolean single(String name) {
        return Single.ONLY.has(name);
    }

    public static List<java.util.function.IntPredicate> rules() {
        return List.of(n -> n > 3);
    }

    public static final class Pile {
        private int size;

        public void push() {
            size++;
        }

        public int size() {
            return size;
        }
    }

    public static final class Store {
        private static int count;

        public static void put() {
            count++;
        }

        public static int count() {
            return count;
        }
    }

    public static final class Registry {
        private static final Registry INSTANCE = new Registry();
        private final Set<String> names = new HashSet<>();

        private Registry() {}

        public static Registry getInstance() {
            return INSTANCE;
        }

        public boolean has(String name) {
            return names.contains(name);
        }

        public void add(String name) {
            names.add(name);
        }

        public void clear() {
            names.clear();
        }
    }

    public enum Single {
        ONLY;

        private final Set<String> names = new HashSet<>();

        public boolean has(String name) {
            return names.contains(name);
        }

        public void add(String name) {
            names.add(name);
        }

        public void clear() {
            names.clear();
        }
    }
}
";

#[test]
fn what_more_calls_could_lead_to_is_not_infeasible() {
    let place = Place::new("Earlier", EARLIER);
    let told = text(&place.command("cover").arg("a.Earlier").output().unwrap());
    assert!(about(&told, ": infeasible").is_empty(), "{told}");
    for open in ["pile.size() > 30", "names.size() > 20", "Store.count() > 20", "n > 3"] {
        assert!(about(&told, open)[0].contains(": open: "), "{told}");
    }
    // Objects that everybody shares are called before.
    for name in [".shared(String)", ".single(String)"] {
        let lines = about(&told, name);
        assert!(!lines.is_empty() && lines.iter().all(|line| line.contains("covered by")), "{told}");
    }
}

const HANDED: &str = "package a

fun over(n: Int): (Int) -> Boolean = { it > n }

fun rules(): List<(Int) -> Boolean> = listOf({ it > 3 })

object Stock {
    private val items = mutableMapOf<String, Int>()
    var taken = 0
        private set

    fun add(name: String, count: Int) {
        items[name] = (items[name] ?: 0) + count
    }

    fun take(name: String): Boolean {
        val count = items[name] ?: return false
        if (count == 1) items.remove(name) else items[name] = count - 1
        taken++
        return true
    }

    fun clear() {
        items.clear()
        taken = 0
    }
}

class Name private constructor(val text: String) {
    companion object {
        private val all = ArrayList<Name>()

        fun of(text: String): Name {
            all.firstOrNull { it.text == text }?.let { return it }
            return Name(text).also { all += it }
        }

        fun forget() = all.clear()
    }
}
";

#[test]
fn lambdas_and_objects_of_kotlin_are_called() {
    let place = Place::of_kotlin("Handed", HANDED);
    let told =
        text(&place.command("cover").args(["a.HandedKt", "a.Stock", "a.Name$Companion"]).output().unwrap());
    assert!(about(&told, ": infeasible").is_empty(), "{told}");
    for what in ["lambda 1 in HandedKt.over,", "Stock.take(", "Stock.add(", "Name.Companion.of("] {
        let lines = about(&told, what);
        assert!(!lines.is_empty() && lines.iter().all(|line| line.contains("covered by")), "{what}:\n{told}");
    }
    assert!(!about(&told, "lambda 1 in HandedKt.rules,").is_empty(), "{told}");
}

/// What these meet depends on what is not theirs: other people's code, other classes' state, the machine.
const OUTSIDE: &str = "package a;
import java.util.*;
import java.util.function.Consumer;
public class Outside {
    public static boolean filled(Consumer<StringBuilder> writer) {
        StringBuilder out = new StringBuilder();
        writer.accept(out);
        return out.length() > 0;
    }

    public static boolean high() {
        return Levels.level > 3;
    }

    public static boolean first() {
        return Levels.TABLE[0] > 3;
    }

    public static boolean wide(Color color) {
        return color.width() == 3;
    }

    public static boolean german() {
        return Locale.getDefault().getLanguage().equals(\"de\") ? true : false;
    }

    public static boolean even() {
        return new Object().hashCode() % 2 == 0;
    }

    public static boolean interrupted() {
        return Thread.currentThread().isInterrupted() ? true : false;
    }

    public static int asserted(int x) {
        assert x > 0;
        return x <= 0 ? 1 : 2;
    }

    public static final class Levels {
        public static int level = 1;
        public static final int[] TABLE = {1, 2};
    }

    public enum Color {
        RED, BLUE;

        private int width = 1;

        public void setWidth(int width) {
            this.width = width;
        }

        public int width() {
            return width;
        }
    }
}
";

#[test]
fn what_depends_on_others_is_not_infeasible() {
    let place = Place::new("Outside", OUTSIDE);
    let told = text(&place.command("cover").arg("a.Outside").output().unwrap());
    let infeasible = about(&told, ": infeasible");
    assert!(infeasible.iter().all(|line| line.contains("(with assertions enabled)")), "{told}");
    assert!(!infeasible.is_empty(), "{told}");
    for (what, why) in [
        (
            "out.length() > 0",
            "java.util.function.Consumer.accept: a stand-in leaves other objects as they are",
        ),
        ("Levels.level > 3", "Levels.level was as"),
        ("TABLE[0] > 3", "Levels.TABLE was as"),
        ("== 3", "width of the constants of"),
        ("Locale", "Locale.getDefault() may say something else"),
        ("hashCode", "Object.hashCode() may say something else"),
        (": Thread", "Thread.isInterrupted() may say something else"),
    ] {
        let lines = about(&told, what);
        assert!(lines.iter().any(|line| line.contains(why)), "{what}: {told}");
    }
}

/// A field holds what the constructor of one class or another gave it: nothing else tells them apart.
const BELOW: &str = "package a;
public abstract class Below {
    private final int sides;

    Below(int sides) {
        this.sides = sides;
    }

    public boolean isRound() {
        return sides == 0;
    }

    public static final class Circle extends Below {
        public Circle() {
            super(0);
        }
    }

    public static final class Polygon extends Below {
        public Polygon(int sides) {
            super(sides);
        }
    }
}
";

#[test]
fn objects_of_all_classes_below_are_called() {
    let place = Place::new("Below", BELOW);
    let told = text(&place.command("cover").arg("a.Below#isRound").output().unwrap());
    assert_eq!(about(&told, "covered by").len(), 2, "{told}");
}

const WALKS: &str = "package a;
public class Walks {
    public static int caught(int x) {
        int r;
        try {
            r = 10 / x;
        } catch (ArithmeticException e) {
            r = -1;
        }
        return r;
    }

    public static int thrown(int x) {
        try {
            if (x > 3) {
                throw new IllegalStateException();
            }
            return 1;
        } catch (IllegalStateException e) {
            return 2;
        }
    }

    public static int empty(int k) {
        while (k-- > 0) ;
        return k;
    }

    public static int atTheEnd(int k) {
        do { } while (k-- > 0);
        return k;
    }
}
";

#[test]
fn walks_from_handlers_and_loops_without_a_body_are_told_apart() {
    let place = Place::new("Walks", WALKS);
    let paths =
        text(&place.command("cover").args(["--criterion", "complete-path", "a.Walks"]).output().unwrap());
    // The search for a handler is on no line.
    for lines in [" line 7: path over lines 7, 10 ", "over lines 15, 16 ", " line 19: path ("] {
        let found = about(&paths, lines);
        assert!(found.len() == 1 && found[0].contains(": covered by"), "{lines}: {paths}");
    }
    let told = text(&place.command("cover").args(["--criterion", "loop", "a.Walks"]).output().unwrap());
    let passed = about(&told, "the loop is passed by");
    assert!(passed.iter().any(|l| l.contains(".empty(") && l.contains("covered by")), "{told}");
    assert!(passed.iter().any(|l| l.contains(".atTheEnd(") && l.contains("infeasible")), "{told}");
}
