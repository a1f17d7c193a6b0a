package io.tallystick.narayana.logs;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.Disk;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The mark knows the records that were taken along by their content, and speaks for one store alone. */
class MigrationMarkTest {
    private static final String ACTION = NarayanaRecords.ACTIONS + "/TwoPhaseCoordinator/AtomicAction";

    private final Disk disk = new SystemDisk();

    @TempDir
    private Path directory;

    private Path log;

    @BeforeEach
    void makeLog() throws IOException {
        log = Files.createDirectories(directory.resolve("log"));
    }

    private static SourceState state(String type, int id, int... committed) {
        byte[] bytes = new byte[committed.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) committed[i];
        }
        StateKey key = StateKey.of(type, ObjectId.of(new byte[] {(byte) id}));
        return new SourceState(key, StateImage.of(bytes, null, false), "place");
    }

    private MigrationMark written(MigrationMark mark, String identity) throws IOException {
        mark.write(disk, log, "/new", identity);
        return MigrationMark.in(disk, log).orElseThrow();
    }

    @Test
    void aRecordIsKnownByItsContent() throws IOException {
        MigrationMark mark = new MigrationMark();
        mark.add(state(ACTION, 1, 5));
        MigrationMark read = written(mark, "id");

        assertThat(read.has(state(ACTION, 1, 5))).isTrue();
        assertThat(read.has(state(ACTION, 1, 6))).isFalse();
        assertThat(read.has(state(ACTION, 2, 5))).isFalse();
        assertThat(read.to()).isEqualTo("/new");
    }

    @Test
    void aShadowIsPartOfTheContent() throws IOException {
        StateKey key = StateKey.of(ACTION, ObjectId.of(new byte[] {1}));
        SourceState committed = new SourceState(key, StateImage.of(new byte[] {1}, null, false), "place");
        SourceState shadow = new SourceState(key, StateImage.of(null, new byte[] {1}, false), "place");
        MigrationMark mark = new MigrationMark();
        mark.add(committed);
        assertThat(written(mark, "id").has(shadow)).isFalse();
    }

    @Test
    void whatIsNoWorkIsNotMarked() {
        MigrationMark mark = new MigrationMark();
        mark.add(state("/EISNAME", 1, 5));
        assertThat(mark.has(state("/EISNAME", 1, 5))).isFalse();
    }

    @Test
    void theMarkSpeaksForItsStoreAlone() throws IOException {
        MigrationMark read = written(new MigrationMark(), "id");
        assertThat(read.isOf(Optional.of("id"))).isTrue();
        assertThat(read.isOf(Optional.of("other"))).isFalse();
        assertThat(read.isOf(Optional.empty())).isFalse();
        assertThat(written(new MigrationMark(), "").isOf(Optional.of(""))).isFalse();
    }

    @Test
    void oneMarkHasAllOfAnotherOrNot() {
        MigrationMark one = new MigrationMark();
        one.add(state(ACTION, 1, 5));
        MigrationMark two = new MigrationMark();
        two.add(state(ACTION, 1, 5));
        two.add(state(ACTION, 2, 5));
        assertThat(two.hasAllOf(one)).isTrue();
        assertThat(one.hasAllOf(two)).isFalse();
        two.clear();
        assertThat(one.hasAllOf(two)).isTrue();
    }

    @Test
    void aDamageIsKnownUntilTheFileChanges() throws IOException {
        Path damaged = Files.write(log.resolve("slot.1"), new byte[] {0, 0, 0, 99, 0, 0, 0, 0, 0});
        MigrationMark read = written(new MigrationMark(), "id");
        Findings findings = new Findings();
        new SlotSource(disk, log).read(state -> {}, findings);
        Findings.Finding damage = findings.damages().get(0);

        assertThat(read.has(disk, log, damage)).isTrue();
        Files.write(damaged, new byte[] {0, 0, 0, 99, 0, 0, 0, 0, 1});
        assertThat(read.has(disk, log, damage)).isFalse();
    }

    @Test
    void noMarkOrAnotherFormIsNone() throws IOException {
        assertThat(MigrationMark.in(disk, log)).isEmpty();
        Files.writeString(log.resolve(MigrationMark.FILE_NAME), "tallystick-migrated 2\nto=/new\nend\n");
        assertThat(MigrationMark.in(disk, log)).isEmpty();
    }

    @Test
    void whatAKilledMigrationLeftIsReplaced() throws IOException {
        Files.writeString(log.resolve(MigrationMark.FILE_NAME + ".tmp"), "half");
        assertThat(written(new MigrationMark(), "id").isOf(Optional.of("id"))).isTrue();
        assertThat(log.resolve(MigrationMark.FILE_NAME + ".tmp")).doesNotExist();
    }
}
