package io.tallystick.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code tallystick.on-unknown-outcome=halt} does, in a process that may be ended. */
class HaltingStoreTest {
    private static final StateKey KEY = StateKey.parse("/T:01");
    private static final byte[] STATE = {1};

    /** The process: opens the store, does what its argument says, and tells if it lived on. */
    static final class Child {
        private Child() {}

        /** Opens, performs, tells. */
        public static void main(String[] args) {
            ObjectStore store = ObjectStores.open(StoreConfiguration.builder()
                    .store(UnknownOutcomeProvider.NAME)
                    .set(StoreOption.ON_UNKNOWN_OUTCOME, StoreOption.OnUnknownOutcome.HALT)
                    .build());
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("shutdown hooks ran")));
            if (args.length > 1) {
                prepare(args[1]);
            }
            try {
                perform(store, args[0]);
            } finally {
                System.out.println("lived on");
                System.out.flush();
            }
        }

        private static void prepare(String how) {
            switch (how) {
                case "memory" -> UnknownOutcomeProvider.END.set(new OutOfMemoryError("nobody knows"));
                case "defect" -> UnknownOutcomeProvider.END.set(new IllegalStateException("nobody knows"));
                case "refused" -> UnknownOutcomeProvider.END.set(new StoreFullException("nothing was written"));
                case "argument" -> UnknownOutcomeProvider.END.set(new IllegalArgumentException("too long"));
                case "MARKED", "IMPOSSIBLE", "PENDING" -> UnknownOutcomeProvider.MARKING.set(LossMarking.valueOf(how));
                case "interrupted" -> markSoon();
                default -> breakLogger(how);
            }
        }

        /** Has the loss marked while the caller, who is interrupted, ends the process. */
        private static void markSoon() {
            UnknownOutcomeProvider.MARKING.set(LossMarking.PENDING);
            new Thread(() -> {
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
                        UnknownOutcomeProvider.MARKING.set(LossMarking.MARKED);
                    })
                    .start();
            Thread.currentThread().interrupt();
        }

        private static void perform(ObjectStore store, String operation) {
            switch (operation) {
                case "write" -> store.write(KEY, STATE, Durability.FORCED);
                case "writeAsync" ->
                    store.writeAsync(KEY, STATE).toCompletableFuture().join();
                case "remove" -> store.remove(KEY, Durability.DEFERRED);
                case "force" -> store.force();
                case "writeShadow" -> store.writeShadow(KEY, STATE, Durability.FORCED);
                case "commitShadow" -> store.commitShadow(KEY, Durability.FORCED);
                case "discardShadow" -> store.discardShadow(KEY, Durability.FORCED);
                case "hide" -> store.hide(KEY);
                case "reveal" -> store.reveal(KEY);
                case "close" -> store.close();
                case "read" -> store.types();
                default -> throw new IllegalArgumentException(operation);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "write",
                "writeAsync",
                "remove",
                "force",
                "writeShadow",
                "commitShadow",
                "discardShadow",
                "hide",
                "reveal",
                "close"
            })
    void unknownOutcomeEndsTheProcessAtOnce(String operation) throws Exception {
        Process child = start(operation);
        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(child.exitValue()).as(output).isEqualTo(70);
        assertThat(output)
                .contains("TALLY0002")
                .contains("tallystick.on-unknown-outcome=halt")
                .contains("nobody knows")
                .doesNotContain("lived on")
                .doesNotContain("shutdown hooks ran");
    }

    @ParameterizedTest
    @ValueSource(strings = {"throws", "blocks"})
    void aLoggerThatDoesNotWorkKeepsTheProcessFromNothing(String logger) throws Exception {
        Process child = start("write", logger);
        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(child.exitValue()).as(output).isEqualTo(70);
        assertThat(output).doesNotContain("lived on");
    }

    private static void breakLogger(String how) {
        Logger.getLogger(HaltingStore.class.getName()).addHandler(new Handler() {
            @Override
            public void publish(LogRecord record) {
                if (how.equals("throws")) {
                    throw new AssertionError("the log is full");
                }
                while (true) {
                    LockSupport.park();
                }
            }

            @Override
            public void flush() {
                // nothing is kept
            }

            @Override
            public void close() {
                // nothing is open
            }
        });
    }

    @ParameterizedTest
    @CsvSource({
        "write, memory",
        "write, defect",
        "writeAsync, memory",
        "remove, memory",
        "commitShadow, memory",
        "force, defect",
        "close, memory"
    })
    void anErrorThatTellsNoOutcomeEndsTheProcessToo(String operation, String error) throws Exception {
        Process child = start(operation, error);
        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(child.exitValue()).as(output).isEqualTo(70);
        assertThat(output).contains("TALLY0002").contains("nobody knows").doesNotContain("lived on");
    }

    @ParameterizedTest
    @CsvSource({
        "MARKED, 70, The loss is marked",
        "IMPOSSIBLE, 72, The loss could not be marked",
        "PENDING, 72, The loss could not be marked",
        "interrupted, 70, The loss is marked"
    })
    void aLossThatIsNotMarkedEndsTheProcessWithAStatusOfItsOwn(String marking, int status, String told)
            throws Exception {
        Process child = start("write", marking);
        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(child.exitValue()).as(output).isEqualTo(status);
        assertThat(output).contains("TALLY0002", told).doesNotContain("lived on");
    }

    @ParameterizedTest
    @CsvSource({"write, refused", "writeAsync, refused", "write, argument"})
    void aRefusalEndsNothing(String operation, String refusal) throws Exception {
        Process child = start(operation, refusal);
        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(child.exitValue()).as(output).isEqualTo(1);
        assertThat(output).contains("lived on");
    }

    @Test
    void whateverElseHappensTheProcessLivesOn() throws Exception {
        Process child = start("read");
        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(child.exitValue()).as(output).isZero();
        assertThat(output).contains("lived on").contains("shutdown hooks ran");
    }

    private static Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // Short lives: start quickly, compile little.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }
}
