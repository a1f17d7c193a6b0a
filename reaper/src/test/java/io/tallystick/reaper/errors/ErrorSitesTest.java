package io.tallystick.reaper.errors;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Each place of the reaper that may fail, fails: once, and until the trouble is over. Afterwards every registered
 * transaction is cancelled once, the next one in its time, and {@code close} ends.
 */
class ErrorSitesTest {
    private static final int MOST_RUNS = 20;
    private static final Map<String, Supplier<Error>> ERRORS = new LinkedHashMap<>();

    /** The places that no run reaches, as patterns, and why. */
    private static final Map<String, String> UNREACHED = new LinkedHashMap<>();

    private static final String WITHOUT_A_STACK = "Registration\\.ownerStack 1: List\\.of";

    static {
        ERRORS.put("no memory", () -> new OutOfMemoryError("planned"));
        ERRORS.put("no class", () -> new NoClassDefFoundError("planned"));

        UNREACHED.put(".*\\.(equals|hashCode|toString|valueOf) .*", "only callers of the reaper call it");
        UNREACHED.put(".*: new Illegal(Argument|State)Exception", "the caller's mistake, and its own");
        UNREACHED.put("ReaperOptions\\$Builder\\.within .*", "the text of such an exception");
        UNREACHED.put("TransactionReaper\\.(boundOf|nanosOf) .*", "the text of such an exception");
        UNREACHED.put("CancelWorkers\\.stackOf 3: List\\.of", "an empty list, for which the JDK makes no object");
        UNREACHED.put(WITHOUT_A_STACK, "as above; on a slow machine the stack is captured too late, and it is reached");
        UNREACHED.put("DurationText\\.of 1: .*", "a time of centuries");
        UNREACHED.put(
                "ExpiryEvents\\$Recorded\\.ended .*", "only while the flight recorder records; caught by its caller");
        UNREACHED.put("ReaperClasses\\.initialize \\d: new AssertionError", "a class of the package can be reached");
        UNREACHED.put("Registration\\.field 1: new ExceptionInInitializerError", "the field is there");
        UNREACHED.put("ReaperLog\\$Writing\\.remark .*", "after a logger was stuck for 64 lines: ReaperErrorsTest");
        UNREACHED.put(
                "TransactionReaper\\.closeWithoutWatch .*",
                "a start of the watch has failed, and another registration is left: caught there");
        UNREACHED.put("TransactionReaper\\.lambda\\$new\\$0 .*", "the scenario gives a factory of its own");
    }

    @Test
    void withoutAnErrorEachTransactionIsCancelled() throws Exception {
        run("", InternalError::new, 0);
    }

    @Test
    @Tag("long")
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void whateverFailsTheNextTransactionIsCancelled() throws Exception {
        Set<String> reached = reachedWithoutErrors();
        List<String> failures = new ArrayList<>();
        for (String site : reached) {
            for (Map.Entry<String, Supplier<Error>> error : ERRORS.entrySet()) {
                for (int times : new int[] {1, Integer.MAX_VALUE}) {
                    try {
                        run(site, error.getValue(), times);
                    } catch (Exception | AssertionError | LinkageError | OutOfMemoryError failed) {
                        failures.add(site + ", " + error.getKey() + (times == 1 ? " once: " : ": ") + failed);
                    }
                }
            }
        }
        assertThat(failures).isEmpty();
    }

    @Test
    void eachPlaceIsReachedOrHasAReason() throws Exception {
        Set<String> sites = ErrorWeaver.sites();
        Set<String> reached = new TreeSet<>();
        Set<String> missing = new TreeSet<>();
        // Which places one run reaches depends on its schedule: a stack is captured before or after its transaction
        // ends.
        for (int run = 0; run == 0 || !missing.isEmpty() && run < MOST_RUNS; run++) {
            reached.addAll(reachedWithoutErrors());
            missing.clear();
            sites.stream()
                    .filter(site -> !reached.contains(site)
                            && UNREACHED.keySet().stream().noneMatch(site::matches))
                    .forEach(missing::add);
        }

        assertThat(sites).containsAll(reached).hasSizeGreaterThan(200);
        assertThat(reached).hasSizeGreaterThan(150);
        assertThat(missing).isEmpty();
        assertThat(UNREACHED.keySet()).allSatisfy(pattern -> assertThat(sites)
                .anyMatch(
                        site -> site.matches(pattern) && (!reached.contains(site) || pattern.equals(WITHOUT_A_STACK))));
    }

    private static Set<String> reachedWithoutErrors() throws Exception {
        ErrorPlan.takeReached();
        run("", InternalError::new, 0);
        return ErrorPlan.takeReached();
    }

    private static void run(String site, Supplier<Error> error, int times) throws Exception {
        Runnable arm = () -> ErrorPlan.arm(site, error, times);
        Object scenario = new ErrorWeaver()
                .loadClass("io.tallystick.reaper.ErrorScenario")
                .getConstructor(Runnable.class)
                .newInstance(arm);
        ((Callable<?>) scenario).call();
    }
}
