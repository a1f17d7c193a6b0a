package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.SettledTrail;
import io.tallystick.narayana.logs.record.BranchId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Until {@code SettleBranch} has the log, another person may forget the record of its branch. */
@Timeout(120)
class ForgottenMeanwhileTest {
    private static final String NODE = "orders-2";
    private static final StoreKind JOURNAL = StoreKind.SEGMENTED_CHANNEL;

    @TempDir
    private Path directory;

    @Test
    void whatWasForgottenIsReadOnlyOnceNobodyElseCanForget() throws IOException {
        KilledNode node = new KilledNode(directory, NODE);
        node.kill(JOURNAL.settings(), CrashPoint.BEFORE_LOG);
        Path resource = node.resources().resolve(CrashPoint.BEFORE_LOG.name()).resolve("a");
        String branch = FileResource.prepared(resource).orElseThrow();
        // An adopter of a copy warns while it opens the log, and so tells when that is.
        Path copy = copied(directory.resolve("store"), directory.resolve("copy"));

        String said = node.program(
                        ForgettingWhileItOpens.class, JOURNAL.settings(), "tallystick.directory", copy.toString())
                .endsWith(
                        SettleBranch.REFUSED,
                        "--node",
                        NODE,
                        "--helper",
                        FileResourceRecovery.class.getName() + "=" + node.resources(),
                        "--rollback",
                        branch,
                        "--yes",
                        "--reason",
                        "ticket 4711");

        assertThat(said).contains("TALLY0108", "its record was forgotten, says " + copy);
        assertThat(FileResource.prepared(resource)).contains(branch);
    }

    /** The command, and a person who is faster. */
    static final class ForgettingWhileItOpens extends Handler {
        private final Path quarantine = SettledTrail.directoryIn(Path.of(System.getProperty("tallystick.directory")));
        private final String uid;

        private ForgettingWhileItOpens(BranchId branch) {
            this.uid = NarayanaUid.text(branch.transaction().orElseThrow());
        }

        public static void main(String[] arguments) {
            String xid = arguments[List.of(arguments).indexOf("--rollback") + 1];
            Logger.getLogger("").addHandler(new ForgettingWhileItOpens(BranchId.parse(xid)));
            System.exit(SettleBranch.run(System.out, arguments));
        }

        @Override
        public void publish(LogRecord line) {
            if (line.getMessage().startsWith("TALLY0108")) {
                try {
                    Files.writeString(
                            Files.createDirectories(quarantine).resolve(SettledTrail.FILE_NAME),
                            "time=2026-11-27T03:12:45Z user=app action=forget uid=" + uid
                                    + " decision=commit reason=x\n");
                } catch (IOException failed) {
                    throw new UncheckedIOException(failed);
                }
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    private static Path copied(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : all.toList()) {
                Files.copy(each, to.resolve(from.relativize(each).toString()));
            }
        }
        return to;
    }
}
