package io.tallystick.narayana.recover;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.jta.recovery.XAResourceOrphanFilter.Vote;
import io.tallystick.narayana.doubt.BranchXid;
import io.tallystick.narayana.doubt.LinesOf;
import io.tallystick.narayana.doubt.WrittenRecord;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.storage.ForwardingDisk;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordedBranchFilterTest {
    private final ObjectStore log =
            ObjectStores.open(StoreConfiguration.builder().store("inmemory").build());
    private final WrittenRecord record = new WrittenRecord(1, "orders-2").waiting("x");
    private final BranchXid branch = new BranchXid(record.branch("x"));
    private final BranchXid other = new BranchXid(new WrittenRecord(2, "orders-2").branch("x"));
    private final List<Path> listed = new ArrayList<>();
    private long nanos;
    private final RecordsAside aside = new RecordsAside(
            log,
            new ForwardingDisk(new SystemDisk()) {
                @Override
                public List<Path> list(Path directory) throws IOException {
                    listed.add(directory);
                    return super.list(directory);
                }
            },
            () -> nanos);
    private final RecordedBranchFilter filter = new RecordedBranchFilter(() -> Optional.of(aside));

    @TempDir
    private Path directory;

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void aBranchWithoutARecordIsLeftToTheOtherFilters() {
        assertThat(filter.checkXid(branch)).isEqualTo(Vote.ABSTAIN);
    }

    /** Narayana makes an empty store of its own, once ours was shut down while a scan runs. */
    @Test
    void onceRecoveryHasAnotherStoreEveryBranchIsLeftAlone() {
        assertThat(new RecordedBranchFilter(Optional::empty).checkXid(branch)).isEqualTo(Vote.LEAVE_ALONE);
    }

    /** A branch of an imported transaction has the Xid of its parent, whose format may be any. */
    @Test
    void aForgottenRecordOfAnImportedTransactionCountsForParentsOfEveryFormat() throws IOException {
        aside.alsoIn(directory);
        Files.writeString(
                directory.resolve("settled.log"),
                "time=2026-11-27T03:12:46Z user=app action=forget uid=0:1:2:3:4 type=/A parent=4711:0a0b:00"
                        + " state=heuristic reason=r\n");

        assertThat(filter.checkXid(new BranchXid(new BranchId(4711, "0a0b", "01"))))
                .isEqualTo(Vote.LEAVE_ALONE);
        assertThat(filter.checkXid(new BranchXid(new BranchId(4711, "0a0c", "01"))))
                .isEqualTo(Vote.ABSTAIN);
    }

    @Test
    void whileARecordOfAnImportedTransactionIsGivenUpBranchesOfOtherFormatsAreLeftAlone() {
        BranchXid foreign = new BranchXid(new BranchId(4711, "0a0b", "01"));
        assertThat(filter.checkXid(foreign)).isEqualTo(Vote.ABSTAIN);

        log.write(
                StateKey.of(
                        WrittenRecord.ACTION + "/SubordinateAtomicAction/JCA/Expired",
                        record.key().id()),
                record.bytes(),
                Durability.FORCED);

        assertThat(filter.checkXid(foreign)).isEqualTo(Vote.LEAVE_ALONE);
    }

    /** A filter of Narayana's lists records for each branch, which looks like the beginning of a scan. */
    @Test
    void scansThatBeginWithinTenSecondsListTheDirectoriesOnce() throws IOException {
        aside.alsoIn(directory);
        for (int branches = 0; branches < 100; branches++) {
            aside.scanBegins();
            filter.checkXid(other);
        }
        assertThat(listed).hasSize(1);
        Files.writeString(directory.resolve("2026-11-27T03-12-45Z-forget-" + uid().replace(':', '_') + ".jsonl"), "{}");
        nanos += TimeUnit.SECONDS.toNanos(RecordsAside.LISTED_SECONDS);

        aside.scanBegins();

        assertThat(filter.checkXid(branch)).isEqualTo(Vote.LEAVE_ALONE);
        assertThat(listed).hasSize(2);
    }

    /** A volume that is not mounted looks so. */
    @Test
    void aConfiguredDirectoryThatIsMissingLeavesEveryBranchAlone() throws IOException {
        Path missing = directory.resolve("missing");
        aside.alsoIn(missing);

        try (LinesOf lines = new LinesOf(RecordedBranchFilter.class)) {
            assertThat(filter.checkXid(branch)).isEqualTo(Vote.LEAVE_ALONE);
            assertThat(lines.all())
                    .singleElement()
                    .asString()
                    .contains("TALLY0429", missing + " is missing", "tallystick.indoubt.keep-in", "mount it");
        }
        Files.createDirectory(missing);
        assertThat(filter.checkXid(branch)).isEqualTo(Vote.ABSTAIN);
    }

    /** What a person writes must not speak for another record. */
    @Test
    void aReasonIsNoFieldOfTheTrail() throws IOException {
        aside.alsoIn(directory);
        Files.writeString(
                directory.resolve("settled.log"),
                "time=2026-11-27T03:12:46Z user=app action=forget uid=0:1:2:3:4 type=/A reason=as action=forget uid="
                        + uid() + "\n");

        assertThat(filter.checkXid(branch)).isEqualTo(Vote.ABSTAIN);
    }

    @Test
    void aBranchWithARecordIsLeftAloneWithoutAWord() {
        log.write(record.key(), record.bytes(), Durability.FORCED);

        try (LinesOf lines = new LinesOf(RecordedBranchFilter.class)) {
            assertThat(filter.checkXid(branch)).isEqualTo(Vote.LEAVE_ALONE);
            assertThat(lines.all()).isEmpty();
        }
    }

    /** One with a CommitMarkableResource may be to be rolled back: Narayana's own filter reads it. */
    @Test
    void aBranchWithARecordOfAnotherTypeIsLeftToTheOtherFilters() {
        String type = record.key().type().replace("AtomicAction", "AtomicActionOfAnotherKind");
        log.write(StateKey.of(type, record.key().id()), record.bytes(), Durability.FORCED);

        assertThat(filter.checkXid(branch)).isEqualTo(Vote.ABSTAIN);
    }

    /** Narayana's own filter does not look where the expiry scanner has put the record. */
    @Test
    void aBranchWhoseRecordWasGivenUpIsLeftAloneAndToldOnce() {
        log.write(record.givenUp().key(), record.bytes(), Durability.FORCED);

        try (LinesOf lines = new LinesOf(RecordedBranchFilter.class)) {
            assertThat(filter.checkXid(branch)).isEqualTo(Vote.LEAVE_ALONE);
            assertThat(filter.checkXid(branch)).isEqualTo(Vote.LEAVE_ALONE);

            assertThat(lines.all())
                    .singleElement()
                    .asString()
                    .contains("TALLY0428", "xid=" + record.branch("x"), uid());
        }
        assertThat(filter.checkXid(other)).isEqualTo(Vote.ABSTAIN);
    }

    /** The branches of an imported transaction do not have its Uid. */
    @Test
    void whileARecordOfAnImportedTransactionIsGivenUpImportedBranchesAreLeftAlone() {
        StateKey imported = StateKey.of(
                WrittenRecord.ACTION + "/SubordinateAtomicAction/JCA/Expired",
                new WrittenRecord(7, "orders-2").key().id());
        BranchId begun = record.branch("x");
        BranchXid ofSubordinate = new BranchXid(
                new BranchId(begun.format(), begun.global(), begun.branch().substring(0, 64) + "00000002" + "6f32"));
        assertThat(filter.checkXid(ofSubordinate)).isEqualTo(Vote.ABSTAIN);

        log.write(imported, record.bytes(), Durability.FORCED);

        assertThat(filter.checkXid(ofSubordinate)).isEqualTo(Vote.LEAVE_ALONE);
        assertThat(filter.checkXid(branch)).isEqualTo(Vote.ABSTAIN);
    }

    @Test
    void aRecordThatIsForgottenIsKnownAfterTheNextScanBegins() throws IOException {
        aside.alsoIn(directory);
        assertThat(filter.checkXid(branch)).isEqualTo(Vote.ABSTAIN);
        Files.writeString(directory.resolve("2026-11-27T03-12-45Z-forget-" + uid().replace(':', '_') + ".jsonl"), "{}");

        aside.renew();

        assertThat(filter.checkXid(branch)).isEqualTo(Vote.LEAVE_ALONE);
        assertThat(filter.checkXid(other)).isEqualTo(Vote.ABSTAIN);
    }

    @Test
    void theDirectoriesAreListedOnceForAllBranchesOfAScan() {
        aside.alsoIn(directory);
        for (int branches = 0; branches < 100; branches++) {
            filter.checkXid(new BranchXid(new WrittenRecord(branches, "orders-2").branch("x")));
        }

        assertThat(listed).containsExactly(directory.toAbsolutePath());
    }

    /** The trail says it, also of the transaction that another node has begun. */
    @Test
    void aLineOfTheTrailSpeaksForARecord() throws IOException {
        aside.alsoIn(directory);
        Files.writeString(
                directory.resolve("settled.log"),
                "time=2026-11-27T03:12:45Z user=an action=forget uid=0:1 x action=forget uid=" + uid()
                        + " type=/A state=heuristic reason=r\n"
                        + "time=2026-11-27T03:12:46Z user=app action=forget uid=0:1:2:3:4 type=/A parent="
                        + new WrittenRecord(3, "orders-2").branch("y") + " state=heuristic reason=r\n");

        assertThat(filter.checkXid(branch)).isEqualTo(Vote.LEAVE_ALONE);
        assertThat(filter.checkXid(new BranchXid(new WrittenRecord(3, "orders-2").branch("x"))))
                .isEqualTo(Vote.LEAVE_ALONE);
        assertThat(filter.checkXid(other)).isEqualTo(Vote.ABSTAIN);
    }

    @Test
    void aDirectoryThatCannotBeListedLeavesEveryBranchAlone() throws IOException {
        Path file = Files.writeString(directory.resolve("kept"), "no directory");
        aside.alsoIn(file);

        assertThat(filter.checkXid(branch)).isEqualTo(Vote.LEAVE_ALONE);
        Files.delete(file);
        Files.createDirectory(file);
        assertThat(filter.checkXid(branch)).isEqualTo(Vote.ABSTAIN);
    }

    @Test
    void aClosedLogLeavesEveryBranchAlone() {
        log.close();

        assertThat(filter.checkXid(branch)).isEqualTo(Vote.LEAVE_ALONE);
    }

    private String uid() {
        return NarayanaUid.text(record.key().id());
    }
}
