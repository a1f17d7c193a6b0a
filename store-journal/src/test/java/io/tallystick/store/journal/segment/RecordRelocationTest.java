package io.tallystick.store.journal.segment;

import static io.tallystick.store.journal.segment.SegmentFixture.BLOCK;
import static io.tallystick.store.journal.segment.SegmentFixture.image;
import static io.tallystick.store.journal.segment.SegmentFixture.key;
import static io.tallystick.store.journal.segment.SegmentFixture.removal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.StateKey;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.log.commit.PendingAppend;
import io.tallystick.store.log.spi.RecordLog.Carried;
import io.tallystick.store.log.spi.RecordLog.Rewriter;
import io.tallystick.store.log.spi.Version;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RecordRelocationTest {
    private final SegmentScanner scanner = new SegmentScanner(SegmentFixture.STORE_ID);
    private final Index index = new Index();
    private SegmentFixture fixture;
    private Segment segment;

    @BeforeEach
    void makeSegment() throws IOException {
        fixture = new SegmentFixture();
        segment = fixture.active();
    }

    /** The latest versions, and what was queued again. */
    private static final class Index implements Rewriter {
        final Map<StateKey, Version> latest = new HashMap<>();
        final List<String> calls = new ArrayList<>();
        int refusals;

        @Override
        public Version latest(StateKey key) {
            return latest.get(key);
        }

        @Override
        public long rewrite(List<Carried> records) {
            if (refusals-- > 0) {
                throw new StoreFullException("thrown by the test");
            }
            records.forEach(each -> calls.add((each.version().isTombstone() ? "removal " : "record ")
                    + each.version().key().id().toString()));
            return 0;
        }

        @Override
        public void force() {
            calls.add("force");
        }

        @Override
        public void failStop(Throwable cause) {
            throw new AssertionError(cause);
        }

        @Override
        public boolean hasFailed() {
            return false;
        }
    }

    private static String record(int number) {
        return "record " + key(number).id();
    }

    private void isLatest(PendingAppend append) {
        index.latest.put(append.key(), append);
    }

    @Test
    void onlyTheLatestVersionsOfTheSegmentAreMoved() throws IOException {
        PendingAppend live = image(1, 10);
        PendingAppend superseded = image(2, 10);
        PendingAppend successor = image(2, 20);
        PendingAppend gone = image(3, 10);
        long next = fixture.write(segment, BLOCK, 1, 0, live, superseded, gone);
        fixture.write(segment, next, 2, 1, successor, removal(3));
        isLatest(live);
        isLatest(successor);

        RecordRelocation.allLive(segment, RecordRelocation.PORTION_BYTES, scanner, index);

        assertThat(index.calls).containsExactly(record(1), record(2));
    }

    @Test
    void aVersionThatLiesInAnotherSegmentIsNotMoved() throws IOException {
        PendingAppend copy = image(1, 10);
        fixture.write(segment, BLOCK, 1, 0, copy);
        Segment other = fixture.active();
        PendingAppend moved = image(1, 10);
        fixture.write(other, BLOCK, 2, 1, moved);
        isLatest(moved);

        RecordRelocation.allLive(segment, RecordRelocation.PORTION_BYTES, scanner, index);

        assertThat(index.calls).isEmpty();
    }

    @Test
    void eachPortionIsOnDiskBeforeTheNextIsQueued() throws IOException {
        PendingAppend first = image(1, 3000);
        PendingAppend second = image(2, 3000);
        PendingAppend third = image(3, 3000);
        fixture.write(segment, BLOCK, 1, 0, first, second, third);
        List.of(first, second, third).forEach(this::isLatest);

        RecordRelocation.allLive(segment, 5000, scanner, index);

        assertThat(index.calls).containsExactly(record(1), record(2), "force", record(3));
    }

    @Test
    void aPortionWithoutRoomIsTriedOnceMoreWhenAllThatIsQueuedIsOnDisk() throws IOException {
        PendingAppend live = image(1, 10);
        fixture.write(segment, BLOCK, 1, 0, live);
        isLatest(live);

        index.refusals = 1;
        RecordRelocation.allLive(segment, RecordRelocation.PORTION_BYTES, scanner, index);
        assertThat(index.calls).containsExactly("force", record(1));

        index.refusals = 2;
        assertThatThrownBy(() -> RecordRelocation.allLive(segment, RecordRelocation.PORTION_BYTES, scanner, index))
                .isInstanceOf(StoreFullException.class);
    }

    @Test
    void recordsAndRemovalsBeyondTheLastCoveredBatchAreQueuedAgain() throws IOException {
        PendingAppend covered = image(1, 10);
        PendingAppend beyond = image(2, 10);
        long next = fixture.write(segment, BLOCK, 1, 0, covered, removal(4));
        next = fixture.write(segment, next, 3, 1, beyond, removal(3));
        fixture.write(segment, next, 4, 1, removal(3));
        isLatest(covered);
        isLatest(beyond);
        Set<StateKey> removed = new HashSet<>();

        RecordRelocation.allBeyond(segment, 1, removed, scanner, index);

        assertThat(index.calls).containsExactly(record(2), "removal " + key(3).id());
        assertThat(removed).containsExactly(key(3));
    }

    @Test
    void aRemovalOfAKeyThatWasWrittenAgainIsNotQueuedAgain() throws IOException {
        PendingAppend again = image(3, 10);
        long next = fixture.write(segment, BLOCK, 3, 1, removal(3));
        fixture.write(segment, next, 4, 1, again);
        isLatest(again);

        RecordRelocation.allBeyond(segment, 1, new HashSet<>(), scanner, index);

        assertThat(index.calls).containsExactly(record(3));
    }
}
