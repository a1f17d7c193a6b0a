package io.tallystick.tool.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.arjuna.ats.arjuna.state.OutputObjectState;
import io.tallystick.narayana.TallystickObjectStore;
import io.tallystick.narayana.logs.MigrationMark;
import io.tallystick.store.ObjectStore;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.ToolRun;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A transaction that has ended in the store that took it along does not come back in a second one. */
class SecondMigrationTest {
    private static final String ACTION = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";
    private static final Uid ENDED = new Uid(new long[] {-0x7f000001L, 0x0a000001L}, 4711, 1_700_000_000, 1);
    private static final Uid LATER = new Uid(new long[] {-0x7f000001L, 0x0a000001L}, 4711, 1_700_000_000, 2);

    @TempDir
    Path root;

    private Path old;
    private Path first;
    private Path mark;
    private byte[] marked;

    @BeforeEach
    void migrateAndGoOn() throws Exception {
        old = Files.createDirectories(root.resolve("old"));
        first = root.resolve("first");
        write(ENDED);
        migrate(ExitStatus.OK, first);
        try (Stream<Path> files = Files.walk(old)) {
            mark = files.filter(file -> file.endsWith(MigrationMark.FILE_NAME))
                    .findFirst()
                    .orElseThrow();
        }
        marked = Files.readAllBytes(mark);
        Files.setLastModifiedTime(mark, FileTime.from(Instant.parse("2026-03-01T10:20:30Z")));
        try (ObjectStore store = Kind.FILE.open(first)) {
            assertThat(new TallystickObjectStore(store).remove_committed(ENDED, ACTION))
                    .isTrue();
        }
    }

    @Test
    void aMigrationToAnotherStoreIsRefusedAndTheMarkStays() throws IOException {
        Path second = root.resolve("second");
        for (String option : new String[] {"--to=file", "--dry-run"}) {
            assertThat(ToolRun.of("migrate", option, old, second)
                            .endsWith(ExitStatus.REFUSED)
                            .err())
                    .contains(
                            "was migrated to " + first + " on 2026-03-01T10:20:30Z",
                            "may have ended there",
                            "nothing was changed",
                            "--again");
        }
        assertThat(second).doesNotExist();
        assertThat(Files.readAllBytes(mark)).isEqualTo(marked);

        migrate(ExitStatus.OK, second, "--again");
        try (ObjectStore store = Kind.FILE.open(second)) {
            assertThat(store.types()).isNotEmpty();
        }
    }

    @Test
    void aMigrationToTheStoreThatHasGoneOnSaysThatNothingIsToBeDone() {
        assertThat(migrate(ExitStatus.REFUSED, first).err())
                .contains(
                        "was migrated there on 2026-03-01T10:20:30Z",
                        "has gone on",
                        "nothing is to be done",
                        "1 state differs: ")
                .doesNotContain("give a new or an empty directory");
    }

    /** The old store was used once more, so something is to be done. */
    @Test
    void aRecordThatCameAfterTheMigrationIsNotPassedOver() throws Exception {
        write(LATER);
        assertThat(migrate(ExitStatus.REFUSED, first).err())
                .contains(
                        "holds a store with other data",
                        "records that came later",
                        "start once more with the old store")
                .doesNotContain("nothing is to be done", "give a new or an empty directory");
    }

    private void write(Uid uid) throws Exception {
        ObjectStoreAPI narayana = NarayanaStore.FILES.open(old);
        OutputObjectState state = new OutputObjectState();
        state.packString("decision");
        narayana.write_committed(uid, ACTION, state);
        narayana.stop();
    }

    private ToolRun migrate(ExitStatus status, Path target, String... options) {
        Object[] words = Stream.of(Stream.of("migrate", "--to=file"), Stream.of(options), Stream.of(old, target))
                .flatMap(each -> each)
                .toArray();
        return ToolRun.of(words).endsWith(status);
    }
}
