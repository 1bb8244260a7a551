import java.util.LinkedHashSet;
import java.util.Random;
import java.util.Set;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Runs JUnit 4 tests in this process; see TestwrightReport for arguments and output. */
public class TestwrightLauncher4 extends RunListener {
    private final TestwrightReport report;
    private Failure failure;

    TestwrightLauncher4(TestwrightReport report) {
        this.report = report;
    }

    public static void main(String[] args) throws Exception {
        TestwrightReport report = new TestwrightReport(args);
        Set<String> wanted = new LinkedHashSet<>(report.tests);
        Set<String> classes = new LinkedHashSet<>();
        for (String test : wanted) {
            classes.add(test.substring(0, test.indexOf('#')));
        }
        JUnitCore core = new JUnitCore();
        core.addListener(new TestwrightLauncher4(report));
        for (String name : classes) {
            Request request;
            try {
                request = Request.aClass(Class.forName(name));
            } catch (Throwable e) {
                report.trouble(e);
                continue;
            }
            request = request.filterWith(new Filter() {
                @Override
                public boolean shouldRun(Description description) {
                    if (description.isTest()) {
                        return wanted.contains(id(description));
                    }
                    return description.getChildren().stream().anyMatch(this::shouldRun);
                }

                @Override
                public String describe() {
                    return "the tests asked for";
                }
            });
            if (report.seed != 0) {
                request = request.sortWith((a, b) -> Long.compare(rank(a, report.seed), rank(b, report.seed)));
            }
            core.run(request);
        }
        report.done();
    }

    private static long rank(Description test, long seed) {
        return new Random(id(test).hashCode() * 31L + seed).nextLong();
    }

    private static String id(Description test) {
        return test.getClassName() + "#" + test.getMethodName();
    }

    @Override
    public void testStarted(Description test) {
        failure = null;
        report.started(id(test));
    }

    @Override
    public void testFailure(Failure failure) {
        this.failure = failure;
        if (!failure.getDescription().isTest()) {
            report.trouble(failure.getException());
        }
    }

    @Override
    public void testAssumptionFailure(Failure failure) {
        this.failure = failure;
    }

    @Override
    public void testFinished(Description test) {
        if (failure == null) {
            report.passed(id(test));
        } else {
            report.failed(id(test), failure.getException());
        }
    }
}
