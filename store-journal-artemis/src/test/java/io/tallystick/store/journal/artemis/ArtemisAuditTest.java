package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.OpenMode;
import io.tallystick.store.spi.Damage;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Which files count, and what proves that one is missing or damaged. */
class ArtemisAuditTest {
    private static final Path DIRECTORY = Path.of("/store");

    private final List<String> told = new ArrayList<>();
    private final ArtemisAudit audit = new ArtemisAudit((file, offset, kind, reason) ->
            told.add(file.getFileName() + " " + offset + " " + kind.name() + ": " + reason));

    private static FileScan scan(int number, FileHeader header, long last, Map<Long, Long> files) {
        return scan(number, header, last, files, OptionalLong.empty(), last);
    }

    private static FileScan scan(
            int number, FileHeader header, long last, Map<Long, Long> files, OptionalLong brokenAt, long highest) {
        return new FileScan(
                path(number),
                Optional.ofNullable(header),
                5000,
                last,
                files,
                0,
                0,
                0,
                brokenAt,
                OptionalLong.empty(),
                highest);
    }

    private static Path path(int number) {
        return DIRECTORY.resolve("tallystick-" + number + ".jnl");
    }

    private static FileHeader header(long fileId, long replacedId, long sequence) {
        return new FileHeader(fileId, replacedId, sequence, 65_536);
    }

    @Test
    void filesOfTheJournalAreToldFromStrangersAndFromOthers() throws IOException {
        SimulatedDisk disk = new SimulatedDisk();
        disk.createDirectory(DIRECTORY);
        for (String name : List.of(
                "tallystick-2.jnl",
                "tallystick-1.jnl",
                "tallystick-3.jnl.tmp",
                "tallystick-x.jnl",
                "journal-rename-control.ctr",
                "notes.txt")) {
            disk.open(DIRECTORY.resolve(name), OpenMode.CREATE_NEW).close();
        }
        List<Path> strangers = new ArrayList<>();

        assertThat(ArtemisAudit.journalFiles(disk, DIRECTORY, strangers::add)).containsExactly(path(1), path(2));
        assertThat(strangers)
                .containsExactly(
                        DIRECTORY.resolve("journal-rename-control.ctr"), DIRECTORY.resolve("tallystick-x.jnl"));
    }

    @Test
    void theNewestFileIsTheOneWithTheLatestBatch() {
        FileScan none = scan(1, header(9, 0, 0), 0, Map.of());
        FileScan older = scan(2, header(5, 0, 0), 20, Map.of());
        FileScan newer = scan(3, header(4, 0, 0), 30, Map.of());

        assertThat(ArtemisAudit.newestOf(List.of(none))).isNull();
        assertThat(ArtemisAudit.newestOf(List.of(none, older, newer))).isSameAs(newer);
        assertThat(ArtemisAudit.newestOf(List.of(newer, older, none))).isSameAs(newer);
    }

    @Test
    void sizesAreThoseOfHeadersAlone() {
        FileScan headless = scan(1, null, 0, Map.of());
        FileScan small = scan(2, new FileHeader(1, 0, 0, 4096), 0, Map.of());

        assertThat(ArtemisAudit.sizesOf(List.of(headless, small, scan(3, header(2, 0, 0), 0, Map.of()))))
                .containsExactlyInAnyOrder(4096, 65_536);
    }

    @Test
    void soundFilesAreNotDamaged() {
        FileScan older = scan(1, header(4, 0, 0), 20, Map.of());
        FileScan newest = scan(2, header(5, 1, 30), 30, Map.of(4L, 20L));
        FileScan spare = scan(3, null, 0, Map.of());

        audit.checkNothingIsNewer(List.of(older, newest, spare), newest);

        assertThat(audit.dataOf(newest, List.of(older, newest, spare))).containsExactly(older, newest);
        assertThat(told).isEmpty();
    }

    @Test
    void aBatchThatIsLaterThanTheNewestIsDamage() {
        FileScan newest = scan(1, header(5, 0, 0), 30, Map.of());
        FileScan broken = scan(2, header(6, 0, 0), 0, Map.of(), OptionalLong.of(4096), 31);
        FileScan headless = scan(3, null, 0, Map.of(), OptionalLong.empty(), 32);

        audit.checkNothingIsNewer(List.of(newest, broken, headless), newest);

        assertThat(told)
                .containsExactly(
                        "tallystick-2.jnl 4096 BATCH: it holds batch 31, but the batches before it or the header are"
                                + " damaged",
                        "tallystick-3.jnl 0 HEADER: it holds batch 32, but the batches before it or the header are"
                                + " damaged");
    }

    @Test
    void aHeaderThatKnowsOfALaterBatchIsDamage() {
        FileScan newest = scan(1, header(5, 0, 30), 30, Map.of());
        FileScan spare = scan(2, header(6, 0, 31), 0, Map.of());

        audit.checkNothingIsNewer(List.of(newest, spare), newest);

        assertThat(told)
                .containsExactly("tallystick-2.jnl 0 " + Damage.Kind.MISSING.name()
                        + ": its header knows of batch 31, but the newest one found is 30: a file is missing or"
                        + " damaged");
    }

    /** Without a batch nothing proves that the file is not needed. */
    @Test
    void aDamagedHeaderIsDamageWhereThereIsNoBatch() {
        audit.checkNothingIsNewer(List.of(scan(1, null, 0, Map.of())), null);

        assertThat(told).containsExactly("tallystick-1.jnl 0 HEADER: its header is damaged");
    }

    @Test
    void twoFilesOfOneIdAreACopy() {
        FileScan newest = scan(1, header(5, 0, 0), 30, Map.of());
        FileScan copy = scan(2, header(5, 0, 0), 29, Map.of());

        audit.checkNothingIsNewer(List.of(newest, copy), newest);

        assertThat(told)
                .containsExactly(
                        "tallystick-2.jnl 0 MISPLACED: it has the same file-id as /store/tallystick-1.jnl: one is"
                                + " a copy");
    }

    @Test
    void aFileThatIsNamedMustBeThereUnlessItWasReplaced() {
        FileScan newest = scan(1, header(5, 0, 0), 30, Map.of(3L, 10L, 4L, 20L));
        FileScan nextLifeOfThree = scan(2, header(6, 3, 0), 0, Map.of());

        assertThat(audit.dataOf(newest, List.of(newest, nextLifeOfThree))).containsExactly(newest);

        assertThat(told)
                .containsExactly(
                        "tallystick-1.jnl 4096 MISSING: the file with file-id=4 that it names is missing, or its"
                                + " header is damaged");
    }

    @Test
    void aFileThatIsNamedMustHoldAllBatchesUpToTheLast() {
        FileScan newest = scan(1, header(5, 0, 0), 30, Map.of(4L, 20L));
        FileScan shorter = scan(2, header(4, 0, 0), 18, Map.of());

        assertThat(audit.dataOf(newest, List.of(newest, shorter))).containsExactly(shorter, newest);

        assertThat(told)
                .containsExactly("tallystick-2.jnl 5000 BATCH: batch 19 is damaged; the batches up to 20 were on disk");
    }

    @Test
    void aFileThatIsNamedAndHasNoBatchIsDamagedAtItsBeginning() {
        FileScan newest = scan(1, header(5, 0, 0), 30, Map.of(4L, 20L));
        FileScan empty = scan(2, header(4, 0, 0), 0, Map.of());

        audit.dataOf(newest, List.of(newest, empty));

        assertThat(told)
                .containsExactly(
                        "tallystick-2.jnl 5000 BATCH: batch at the beginning is damaged; the batches up to 20 were"
                                + " on disk");
    }

    @Test
    void aGapInTheNewestFileIsDamage() {
        FileScan newest = scan(1, header(5, 0, 0), 30, Map.of(), OptionalLong.of(4500), 32);

        audit.dataOf(newest, List.of(newest));

        assertThat(told).containsExactly("tallystick-1.jnl 4500 BATCH: batch 31 is damaged; later ones are whole");
    }
}
