//! What programs ask of the machine they run on, and of themselves, through the binary: exits, the environment, callers, annotations.

mod support;

use support::Place;

/// What the program says of a class, and the tests that it wrote.
fn generated(name: &str, source: &str) -> (String, String) {
    let place = Place::new(name, source);
    let mut command = place.command("generate");
    let output = command.args(["-o", "tests", "--work", "5000000", &format!("a.{name}")]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let tests = std::fs::read_to_string(place.path().join(format!("tests/a/{name}Test.java"))).unwrap();
    assert!(!told.contains("dropped") && !told.contains("disagree"), "{told}");
    (told, tests)
}

/// The line that says what became of an obligation.
fn fate<'t>(told: &'t str, what: &str) -> &'t str {
    told.lines().find(|line| line.contains(what)).unwrap_or("covered")
}

#[test]
fn a_branch_that_ends_the_jvm_is_not_infeasible() {
    let (told, _) = generated(
        "Quits",
        "package a;
public class Quits {
    public static int quit(boolean now, int status) {
        if (now) System.exit(status);
        return 1;
    }

    public static int run(int n) throws Exception {
        if (n == 7) Runtime.getRuntime().exec(\"ls\");
        return n;
    }
}
",
    );
    assert!(
        fate(&told, ": now: ").contains("open: ") && fate(&told, ": now: ").contains("ends the JVM"),
        "{told}"
    );
    let run = fate(&told, ": n == 7: ");
    assert!(run.contains("not supported (native method java/lang/ProcessImpl"), "{told}");
}

#[test]
fn what_only_another_environment_shows_is_not_infeasible() {
    let (told, _) = generated(
        "Asks",
        "package a;
public class Asks {
    public static int variable() { return System.getenv(\"A_LIMIT\") == null ? 1 : 2; }
    public static int property() { return System.getProperty(\"a.limit\") == null ? 1 : 2; }
    public static int number() { return Integer.getInteger(\"a.limit\", 3) == 3 ? 1 : 2; }
    public static int processors() { return Runtime.getRuntime().availableProcessors() > 1000 ? 1 : 2; }
}
",
    );
    assert!(!told.contains("infeasible:"), "{told}");
    assert!(fate(&told, "getenv").contains("came from the virtual environment"), "{told}");
}

#[test]
fn callers_of_the_method_under_test_exist_and_are_not_asserted() {
    let (told, tests) = generated(
        "Walks",
        "package a;
public class Walks {
    public static String caller(int n) {
        Class<?> caller = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).getCallerClass();
        return n > 0 ? caller.getName() : \"\";
    }

    public static long depth() { return StackWalker.getInstance().walk(s -> s.count()); }
}
",
    );
    assert!(told.contains("0 infeasible, 0 open"), "{told}");
    assert!(!tests.contains("IllegalCaller") && !tests.contains("Thread"), "{tests}");
}

#[test]
fn classes_that_bear_the_annotation_asked_for_are_inputs() {
    let (told, tests) = generated(
        "Limits",
        "package a;
import java.lang.annotation.*;
public class Limits {
    @Retention(RetentionPolicy.RUNTIME) public @interface Limit { int value(); }
    @Limit(5) public static class Small { }
    public static class Free { @Limit(9) public int width; }

    public static int of(Class<?> type) {
        Limit limit = type.getAnnotation(Limit.class);
        return limit == null ? -1 : limit.value();
    }

    public static int field(Object object) {
        for (var field : object.getClass().getFields()) {
            if (field.isAnnotationPresent(Limit.class)) return field.getAnnotation(Limit.class).value();
        }
        return -1;
    }

    public static int version(Class<?> type) {
        return type.getName().equals(\"java.lang.Thread\") ? 1 : 2;
    }
}
",
    );
    assert!(tests.contains("assertEquals(5, Limits.of(Limits.Small.class))"), "{tests}");
    assert!(tests.contains("assertEquals(9, Limits.field("), "{tests}");
    // Not all classes there are were tried.
    assert!(!told.contains("infeasible:"), "{told}");
}

#[test]
fn sockets_are_refused() {
    let (told, tests) = generated(
        "Ports",
        "package a;
import java.net.*;
public class Ports {
    public static String open(boolean again) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(\"127.0.0.1\", again ? 1 : 2), 100);
            return \"open\";
        } catch (ConnectException e) {
            return \"refused\";
        } catch (java.io.IOException e) {
            return \"failed\";
        }
    }
}
",
    );
    assert!(tests.contains("assertEquals(\"refused\", Ports.open("), "{told}{tests}");
}

#[test]
fn the_order_of_hashes_is_not_asserted_though_it_is_the_same_in_a_second_world() {
    let (_, tests) = generated(
        "Ties",
        "package a;
import java.util.*;
public class Ties {
    public static String first(int n) {
        Map<Object, String> names = new HashMap<>();
        for (String name : List.of(\"left\", \"right\")) names.put(new Object(), name);
        return n > 0 ? names.values().iterator().next() : \"\";
    }

    public static boolean third(int n) {
        Object[] all = {new Object(), new Object(), new Object()};
        return n > 0 && all[2].hashCode() > all[0].hashCode();
    }
}
",
    );
    assert!(!tests.contains("\"left\"") && !tests.contains("\"right\""), "{tests}");
    assert!(!tests.contains("assertTrue(Ties.third(1"), "{tests}");
}

#[test]
fn stand_ins_take_what_a_wildcard_above_says() {
    let (told, tests) = generated(
        "Runs",
        "package a;
import java.util.*;
public class Runs {
    public interface Run extends Comparable<List<? extends Integer>> {
        int size();
        int at(int i);
    }

    public static int first(Run run, int n) {
        return run.size() > n ? run.at(0) : -1;
    }
}
",
    );
    assert!(told.contains("0 infeasible, 0 open") && tests.contains("compareTo(List "), "{told}{tests}");
}

#[test]
fn classes_that_other_packages_keep_to_themselves_are_not_named() {
    let dir = tempfile::tempdir().unwrap();
    let maker = "package b;
public class Maker {
    public static Object make(int n) { return n > 0 ? new Hidden() : \"\"; }
}
class Hidden { }
";
    let uses = "package a;
public class Uses {
    public static Object made(int n) { return b.Maker.make(n); }
}
";
    let files = [("Maker.java", maker), ("Uses.java", uses)].map(|(name, source)| {
        let file = dir.path().join(name);
        std::fs::write(&file, source).unwrap();
        file
    });
    let jdk = testkit::Jdk::at_least(17).unwrap();
    let classes = jdk.compile(&files, &testkit::jdk::Options::default()).unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_testwright"));
    command.args(["generate", "-o", "tests", "--work", "3000000", "a.Uses", "-c"]).arg(classes);
    let output = command.current_dir(dir.path()).env("JAVA_HOME", &jdk.home).output().unwrap();
    let told = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success() && !told.contains("dropped"), "{told}");
    let tests = std::fs::read_to_string(dir.path().join("tests/a/UsesTest.java")).unwrap();
    assert!(!tests.contains("Hidden"), "{tests}");
}
