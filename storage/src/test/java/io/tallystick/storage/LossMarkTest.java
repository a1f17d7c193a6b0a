package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.StoreDirectoryException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A loss that was noticed outlives the process. */
class LossMarkTest {
    private static final String KIND = "test-v1";
    private static final Instant NOTICED = Instant.parse("2026-11-26T09:12:04.117Z");
    private static final Path GOLDEN = Path.of("src", "test", "resources", "directory-v1", "tallystick.loss");

    @TempDir
    Path directory;

    private final Disk disk = new SystemDisk();
    private UUID store;

    @BeforeEach
    void makeStore() throws IOException {
        try (StoreDirectory taken = taken()) {
            store = taken.identity().id();
        }
    }

    @Test
    void aMarkedLossRefusesEachOpeningUntilItIsAccepted() throws IOException {
        mark();

        for (int opening = 1; opening <= 10; opening++) {
            assertRefused("segment 7 is gone");
        }
        accept("the backup of Monday is all there is");

        taken().close();
        assertThat(directory.resolve(LossMark.ACCEPTED_FILE_NAME))
                .content()
                .contains(
                        "accepted=1970-01-01T00:00:00Z\nuser=alice\nreason=the backup of Monday is all there is\n",
                        "noticed=2026-11-26T09:12:04.117Z\nmissing=segment 7 is gone\nowner=pid=1\n");
    }

    @Test
    void anAdopterIsRefusedToo() throws IOException {
        StoreDirectory.take(disk, directory, KIND, true, Optional.of("n")).close();
        mark();

        assertThatThrownBy(() -> StoreDirectory.take(
                        disk, directory, KIND, true, new StoreDirectory.Taker(Optional.of("n"), true, Duration.ZERO)))
                .isInstanceOfSatisfying(StoreDirectoryException.class, refused -> assertThat(refused.reason())
                        .isEqualTo(Reason.LOST));
    }

    @Test
    void aRefusalChangesNothing() throws IOException {
        mark();
        Files.delete(directory.resolve(StoreDirectory.OWNER_FILE));
        Files.delete(directory.resolve(StoreDirectory.LOCK_FILE));

        assertRefused("segment 7 is gone");

        assertThat(directory.resolve(StoreDirectory.OWNER_FILE)).doesNotExist();
        assertThat(directory.resolve(StoreDirectory.LOCK_FILE)).doesNotExist();
    }

    @Test
    void eachAcceptedLossStaysInTheHistory() throws IOException {
        mark();
        accept("first");
        mark();
        accept("second");

        assertThat(directory.resolve(LossMark.ACCEPTED_FILE_NAME)).content().containsSubsequence("first", "second");
    }

    @Test
    void theFirstMarkStays() throws IOException {
        mark();

        LossMark.write(disk, directory, store, NOTICED, "another", "pid=2");

        assertThat(LossMark.find(disk, directory))
                .hasValueSatisfying(mark -> assertThat(mark.missing()).isEqualTo("segment 7 is gone"));
    }

    @Test
    void aDamagedMarkCountsAndCanBeAccepted() throws IOException {
        for (String content : new String[] {"", "tallystick-loss 1\n", "x".repeat(10_000)}) {
            Files.writeString(directory.resolve(LossMark.FILE_NAME), content);

            assertRefused("unknown: the mark cannot be read");
            accept("read by eye");
            taken().close();
        }
    }

    @Test
    void aMarkOfANewerLibraryIsRefusedAsSuch() throws IOException {
        Files.writeString(directory.resolve(LossMark.FILE_NAME), "tallystick-loss 2\nmore\n");

        assertThatThrownBy(this::taken)
                .isInstanceOfSatisfying(StoreDirectoryException.class, refused -> assertThat(refused.reason())
                        .isEqualTo(Reason.FOREIGN));
    }

    @Test
    void aMarkThatCouldNotBeFinishedCounts() throws IOException {
        Files.createFile(directory.resolve(LossMark.FILE_NAME + ".tmp"));

        assertRefused("could not finish");
        accept("read by eye");
        taken().close();
    }

    /** As on a full disk: the name can be made, the content not. */
    @Test
    void aMarkWithoutRoomForItsContentCounts() throws IOException {
        LossMark.write(new FullDisk(disk), directory, store, NOTICED, "segment 7 is gone", "pid=1");

        assertRefused("could not finish");
    }

    @Test
    void textsOfAnyKindAreMarked() throws IOException {
        LossMark.write(disk, directory, store, NOTICED, "file=/a\n\u00e4\u0000" + "x".repeat(5_000), "\r\npid=1");

        assertThat(LossMark.find(disk, directory)).hasValueSatisfying(mark -> {
            assertThat(mark.missing()).startsWith("file=/a???xxx");
            assertThat(mark.store()).isEqualTo(store.toString());
        });
    }

    @Test
    void anEmptiedDirectoryWithAMarkBecomesNoNewStore() throws IOException {
        mark();
        Files.delete(directory.resolve(StoreIdentity.FILE_NAME));

        assertRefused("segment 7 is gone");
    }

    @Test
    void aReasonIsOneLineOfPrintableCharacters() {
        for (String bad : new String[] {"", "  ", "a\nb", "a\u0000", "a\u202eb", "a\u2028b", "x".repeat(501)}) {
            assertThatThrownBy(() -> accept(bad)).isInstanceOf(IllegalArgumentException.class);
        }
        LossMark.checkReason("x".repeat(500));
        LossMark.checkReason("Gr\u00fc\u00dfe, \ud83d\ude00");
    }

    @Test
    void theGoldenMarkIsRead() throws IOException {
        Files.copy(GOLDEN, directory.resolve(LossMark.FILE_NAME));

        assertThat(LossMark.find(disk, directory))
                .contains(new LossMark(
                        "0d9f4c0e-2a52-4d39-bb33-5c8d1f8e6f11",
                        "2026-11-26T09:12:04.117Z",
                        "file=/var/lib/tx/segment-000001.seg is gone",
                        "pid=4711 host=orders-0 since=2026-11-26T08:00:00Z"));
        assertThat(Path.of("..", "docs", "format", "directory-v1.md"))
                .content()
                .contains("```\n" + Files.readString(GOLDEN) + "```\n");
    }

    private StoreDirectory taken() throws IOException {
        return StoreDirectory.take(disk, directory, KIND, false);
    }

    private void mark() throws IOException {
        LossMark.write(disk, directory, store, NOTICED, "segment 7 is gone", "pid=1");
    }

    private void accept(String reason) throws IOException {
        LossMark mark = LossMark.find(disk, directory)
                .orElse(new LossMark(LossMark.UNKNOWN, LossMark.UNKNOWN, "nothing", LossMark.UNKNOWN));
        LossMark.accept(disk, directory, mark, reason, "alice", Instant.EPOCH);
    }

    private void assertRefused(String missing) {
        assertThatThrownBy(this::taken)
                .isInstanceOfSatisfying(StoreDirectoryException.class, refused -> assertThat(refused.reason())
                        .isEqualTo(Reason.LOST))
                .hasMessageContaining(missing)
                .hasMessageContaining("tallystick accept-loss --reason TEXT " + directory);
    }

    /** Makes files and writes nothing into them. */
    private static final class FullDisk extends ForwardingDisk {
        FullDisk(Disk disk) {
            super(disk);
        }

        @Override
        public DiskFile open(Path file, OpenMode mode) throws IOException {
            DiskFile open = super.open(file, mode);
            if (mode == OpenMode.CREATE_NEW) {
                open.close(); // each later write fails
            }
            return open;
        }
    }
}
