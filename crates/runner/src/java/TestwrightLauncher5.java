import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs JUnit 5 tests in this process; see TestwrightReport for arguments and output. */
public class TestwrightLauncher5 implements TestExecutionListener {
    private final TestwrightReport report;

    TestwrightLauncher5(TestwrightReport report) {
        this.report = report;
    }

    public static void main(String[] args) throws Exception {
        TestwrightReport report = new TestwrightReport(args);
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request()
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
                .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "false");
        if (report.seed != 0) {
            request.configurationParameter(
                            "junit.jupiter.testmethod.order.default",
                            "org.junit.jupiter.api.MethodOrderer$Random")
                    .configurationParameter(
                            "junit.jupiter.execution.order.random.seed", String.valueOf(report.seed));
        }
        List<org.junit.platform.engine.DiscoverySelector> selectors = new ArrayList<>();
        for (String test : report.tests) {
            selectors.add(DiscoverySelectors.selectMethod(test));
        }
        LauncherDiscoveryRequest built = request.selectors(selectors).build();
        LauncherConfig config = LauncherConfig.builder()
                .enableLauncherDiscoveryListenerAutoRegistration(false)
                .enablePostDiscoveryFilterAutoRegistration(false)
                .enableTestExecutionListenerAutoRegistration(false)
                .build();
        Launcher launcher = LauncherFactory.create(config);
        launcher.execute(built, new TestwrightLauncher5(report));
        report.done();
    }

    private static String id(TestIdentifier test) {
        if (!test.isTest()) {
            return null;
        }
        Object source = test.getSource().orElse(null);
        if (!(source instanceof MethodSource)) {
            return null;
        }
        return ((MethodSource) source).getClassName() + "#" + ((MethodSource) source).getMethodName();
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        String id = id(test);
        if (id != null) {
            report.started(id);
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        String id = id(test);
        boolean passed = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
        if (id == null) {
            if (!passed) {
                report.trouble(result.getThrowable().orElse(null));
            }
        } else if (passed) {
            report.passed(id);
        } else {
            report.failed(id, result.getThrowable().orElse(null));
        }
    }
}
