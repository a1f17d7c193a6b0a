package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.ChildJvm;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.journal.JournalStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Real processes that are killed, and real system calls that fail. */
@Tag("long")
@Timeout(300)
class ArtemisProcessTest {
    private static final boolean FULL = Boolean.getBoolean("tallystick.test.full");
    private static final int KILLS = FULL ? 100 : 5;
    private static final int RECORDS = 40;

    @TempDir
    Path temporary;

    @ParameterizedTest
    @ValueSource(strings = {"channel", "direct"})
    void whatWasAcknowledgedSurvivesKillAfterKill(String io) throws IOException, InterruptedException {
        Path directory = temporary.resolve("store");
        Random random = new Random(1);
        Set<Integer> present = new HashSet<>();
        long acknowledged = 0;
        for (int life = 0; life < KILLS; life++) {
            Life observed = new Life(present);
            int first = life * StoreProcess.THREADS * StoreProcess.NUMBERS_A_THREAD;
            try (ChildJvm.Running child = ChildJvm.of(StoreProcess.class)
                    .withErrorsApart()
                    .start("churn", directory.toString(), io, "" + first)) {
                int lines = random.nextInt(FULL ? 20_000 : 2_000);
                for (int i = 0; i < lines; i++) {
                    observed.heard(child.line());
                }
                child.kill().forEach(observed::heard);
            }
            acknowledged += observed.acknowledged;
            try (ObjectStore store = JournalStores.open(StoreProcess.configuration(directory, io))) {
                present = observed.check(store, first);
            }
        }
        assertThat(acknowledged).isGreaterThan(100);
    }

    /** What one process said, and what must be there therefore. */
    private static final class Life {
        private final Set<Integer> certain;
        private final Set<Integer> perhaps = new HashSet<>();
        private int acknowledged;

        Life(Set<Integer> before) {
            certain = new HashSet<>(before);
        }

        void heard(String line) {
            String[] words = line.split(" ");
            if (words.length < 2) {
                return; // torn by the kill
            }
            int number = Integer.parseInt(words[1]);
            switch (words[0]) {
                case "ACK" -> {
                    certain.add(number);
                    acknowledged++;
                }
                case "REMOVING" -> {
                    certain.remove(number);
                    perhaps.add(number);
                }
                case "REMOVED" -> perhaps.remove(number);
                default -> throw new AssertionError(line);
            }
        }

        Set<Integer> check(ObjectStore store, int first) {
            Set<Integer> found = new HashSet<>();
            for (StateKey key : store.keys("/T")) {
                int number = StoreProcess.numberOf(key);
                assertThat(store.read(key)).as("number=%d", number).hasValue(StoreProcess.state(number));
                found.add(number);
            }
            assertThat(found).containsAll(certain);
            Set<Integer> unexplained = new HashSet<>(found);
            unexplained.removeAll(certain);
            unexplained.removeAll(perhaps);
            // What was under way when the process died: one record a thread, of this life.
            assertThat(unexplained)
                    .hasSizeLessThanOrEqualTo(StoreProcess.THREADS)
                    .allMatch(number -> number >= first);
            return found;
        }
    }

    /** F1, F3, F5 with real system calls: no lie, no second chance. {@code 3+} means for ever, {@code 3} once. */
    @ParameterizedTest
    @CsvSource({
        "channel, pwrite64, ENOSPC, 7",
        "channel, pwrite64, EIO, 7+",
        "channel, fdatasync, EIO, 5",
        "channel, fdatasync, EIO, 5+",
        "direct, pwrite64, EIO, 9",
        "direct, pwrite64, ENOSPC, 9+"
    })
    void failedSystemCallIsToldAndEndsTheLog(String io, String call, String error, String when)
            throws IOException, InterruptedException {
        Requirements.strace();
        Path directory = directoryWithStore(io);
        List<String> lines = run(
                List.of(
                        "strace",
                        "-f",
                        "-qq",
                        "--seccomp-bpf",
                        "-o",
                        temporary.resolve("trace").toString(),
                        "-P",
                        directory.resolve("tallystick-1.jnl").toString(),
                        "-e",
                        "trace=" + call,
                        "-e",
                        "inject=" + call + ":error=" + error + ":when=" + when),
                directory,
                io);
        assertThat(Files.readString(temporary.resolve("trace"))).contains("INJECTED");
        assertThatFirstErrorEndsTheLog(lines);
        assertThatAcknowledgedIsFound(lines, directory, io);
    }

    /** F4: one failed submission, and the stock journal hangs for ever. */
    @ParameterizedTest
    @ValueSource(strings = {"EAGAIN:when=20", "EAGAIN:when=20+", "EIO:when=20"})
    void failedSubmissionHangsNobody(String error) throws IOException, InterruptedException {
        Requirements.strace();
        Requirements.device("aio");
        Path directory = directoryWithStore("aio");
        List<String> lines = run(
                List.of(
                        "strace",
                        "-f",
                        "-qq",
                        "--seccomp-bpf",
                        "-o",
                        temporary.resolve("trace").toString(),
                        "-e",
                        "trace=io_submit",
                        "-e",
                        "inject=io_submit:error=" + error),
                directory,
                "aio");
        assertThat(Files.readString(temporary.resolve("trace"))).contains("INJECTED");
        assertThat(lines).last().isEqualTo("DONE");
        assertThatAcknowledgedIsFound(lines, directory, "aio");
    }

    @Test
    void processThatNothingHappensToAcknowledgesAll() throws IOException, InterruptedException {
        Path directory = directoryWithStore("channel");
        List<String> lines = run(List.of(), directory, "channel");
        assertThat(lines).hasSize(RECORDS + 1).last().isEqualTo("DONE");
        assertThatAcknowledgedIsFound(lines, directory, "channel");
    }

    private Path directoryWithStore(String io) {
        Path directory = temporary.resolve("store");
        JournalStores.open(StoreProcess.configuration(directory, io)).close();
        return directory;
    }

    private static List<String> run(List<String> before, Path directory, String io)
            throws IOException, InterruptedException {
        try (ChildJvm.Running child = ChildJvm.of(StoreProcess.class)
                .under(before.toArray(String[]::new))
                .withErrorsApart()
                .start("sequence", directory.toString(), io, "" + RECORDS)) {
            List<String> lines = child.lines();
            child.awaitEnd();
            return lines;
        }
    }

    private static void assertThatFirstErrorEndsTheLog(List<String> lines) {
        List<String> outcomes = new ArrayList<>(lines.subList(0, RECORDS));
        int acknowledged = 0;
        while (outcomes.get(acknowledged).startsWith("ACK")) {
            acknowledged++;
        }
        assertThat(acknowledged).isPositive();
        assertThat(outcomes.get(acknowledged)).endsWith("OutcomeUnknownException");
        assertThat(outcomes.subList(acknowledged + 1, RECORDS))
                .isNotEmpty()
                .allMatch(line -> line.endsWith("StoreFailedException"));
        assertThat(lines).last().isEqualTo("DONE");
    }

    private static void assertThatAcknowledgedIsFound(List<String> lines, Path directory, String io) {
        try (ObjectStore store = JournalStores.open(StoreProcess.configuration(directory, io))) {
            for (String line : lines) {
                if (line.startsWith("ACK")) {
                    int number = Integer.parseInt(line.substring(4));
                    assertThat(store.read(StoreProcess.key(number))).as(line).hasValue(StoreProcess.state(number));
                }
            }
        }
    }
}
