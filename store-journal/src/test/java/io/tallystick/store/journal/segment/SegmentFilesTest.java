package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.spi.Damage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A segment that is needed and missing is told, and no other. */
class SegmentFilesTest {
    private static final Path DIRECTORY = Path.of("/store");

    private final Map<Path, SegmentHeader> headers = new LinkedHashMap<>();
    private final List<String> damage = new ArrayList<>();

    @Test
    void anUnbrokenChainFromTheOldestOnIsWhole() {
        add(1, 3, 2, 3);
        add(2, 4, 3, 3);
        add(3, 6, 4, 3);

        check(true);

        assertThat(damage).isEmpty();
    }

    @Test
    void theMissingSegmentBeforeAnotherIsToldAtThatOne() {
        add(1, 3, 2, 3);
        add(2, 6, 4, 3);

        check(true);

        assertThat(damage).containsExactly("MISSING segment-000002.seg the segment before it, id 4, is missing");
    }

    @Test
    void theOldestItselfIsNeededByTheNextOne() {
        add(2, 4, 3, 3);

        check(false);

        assertThat(damage).containsExactly("MISSING segment-000002.seg the segment before it, id 3, is missing");
    }

    @Test
    void whatLiesBeforeTheOldestIsNotNeeded() {
        add(1, 2, 1, 1);
        add(2, 5, 4, 5);

        check(true);

        assertThat(damage).isEmpty();
    }

    /** A store that died while its first segments were made begins anew. */
    @Test
    void theOldestIsNeededOnceTheStoreIsReady() {
        add(1, 2, 0, 1);

        check(false);
        assertThat(damage).isEmpty();
        check(true);
        assertThat(damage).containsExactly("MISSING store the oldest segment, id 1, is missing");
    }

    @Test
    void twoFilesOfOneIdAreTold() {
        add(1, 3, 2, 3);
        add(2, 3, 2, 3);

        check(true);

        assertThat(damage).containsExactly("MISPLACED segment-000002.seg another file has the same segment id 3");
    }

    @Test
    void theOldestIsThatOfTheLatestHeader() {
        assertThat(SegmentFiles.oldestId(headers)).isEqualTo(1);
        add(1, 3, 2, 2);
        add(2, 9, 8, 5);
        add(3, 4, 3, 3);

        assertThat(SegmentFiles.oldestId(headers)).isEqualTo(5);
    }

    @Test
    void headersAreSortedByTheirIdsAndNotByTheirFiles() {
        add(1, 9, 8, 3);
        add(2, 3, 2, 3);
        add(3, 8, 3, 3);

        assertThat(SegmentFiles.inOrder(headers).values())
                .extracting(SegmentHeader::segmentId)
                .containsExactly(3L, 8L, 9L);
    }

    private void add(int file, long id, long previousId, long oldestId) {
        headers.put(
                DIRECTORY.resolve(SegmentFormat.fileName(file)),
                new SegmentHeader(id, 1, 65_536, 4096, previousId, oldestId, 1, 0, 0));
    }

    private void check(boolean isReady) {
        SegmentFiles.checkNoneMissing(
                headers,
                SegmentFiles.oldestId(headers),
                DIRECTORY,
                isReady,
                (Path file, long offset, Damage.Kind kind, String reason) ->
                        damage.add(kind + " " + file.getFileName() + " " + reason));
    }
}
