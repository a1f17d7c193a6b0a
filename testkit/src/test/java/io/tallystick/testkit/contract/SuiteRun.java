package io.tallystick.testkit.contract;

import java.io.PrintWriter;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs test classes outside Maven, in a JVM that Maven does not start: {@code .ci/wine} has one of Windows. Prints a
 * line for each class, each failure, and the reason of each skip. Ends with 1 if a test failed, or none passed.
 */
public final class SuiteRun {
    private static final int SLOW_SECONDS = 5;

    private SuiteRun() {}

    /** Runs the classes of these names. */
    public static void main(String[] classes) {
        boolean isGood = classes.length > 0;
        PrintWriter out = new PrintWriter(System.out, true);
        for (String name : classes) {
            isGood &= run(name, out);
        }
        System.exit(isGood ? 0 : 1);
    }

    private static boolean run(String className, PrintWriter out) {
        Results results = new Results(out);
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(className))
                // JUnit asks for the real path of each directory, which takes Wine minutes. The caller deletes all of
                // them.
                .configurationParameter("junit.jupiter.tempdir.cleanup.mode.default", "NEVER")
                .build();
        Launcher launcher = LauncherFactory.create();
        launcher.execute(request, results);
        results.skips.forEach((reason, count) -> out.println("skipped " + count + " of " + className + ": " + reason));
        out.println(className.substring(className.lastIndexOf('.') + 1) + ": " + results.passed + " passed, "
                + results.failed + " failed, "
                + results.skips.values().stream().mapToInt(Integer::intValue).sum() + " skipped");
        return results.failed == 0 && results.passed > 0;
    }

    private static final class Results implements TestExecutionListener {
        private final Map<String, Integer> skips = new TreeMap<>();
        private final PrintWriter out;
        private final Map<String, Long> begun = new HashMap<>();
        private int passed;
        private int failed;

        Results(PrintWriter out) {
            this.out = out;
        }

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            skips.merge(reason, 1, Integer::sum);
        }

        @Override
        public void executionStarted(TestIdentifier test) {
            begun.put(test.getUniqueId(), System.nanoTime());
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun.get(test.getUniqueId()));
            if (seconds >= SLOW_SECONDS) {
                out.println("took " + seconds + " s: " + test.getUniqueId());
            }
            switch (result.getStatus()) {
                case SUCCESSFUL -> passed += test.isTest() ? 1 : 0;
                case ABORTED ->
                    skips.merge(
                            result.getThrowable().map(Throwable::getMessage).orElse("no reason given"),
                            1,
                            Integer::sum);
                case FAILED -> {
                    failed++;
                    out.println("failed " + test.getUniqueId());
                    result.getThrowable().ifPresent(problem -> problem.printStackTrace(out));
                }
            }
        }
    }
}
