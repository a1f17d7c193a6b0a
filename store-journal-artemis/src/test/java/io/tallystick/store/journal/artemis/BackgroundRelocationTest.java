package io.tallystick.store.journal.artemis;

import static io.tallystick.store.journal.artemis.ArtemisFixture.image;
import static io.tallystick.store.journal.artemis.ArtemisFixture.onDisk;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.StoreFullException;
import io.tallystick.store.log.spi.Version;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When live records are copied out of the oldest file, and how many at a time. */
class BackgroundRelocationTest {
    private static final int SLICE_BYTES = 64 * 1024;

    private final RecordingRewriter rewriter = new RecordingRewriter();
    private final DataFile oldest = new DataFile(1, 1);
    private ArtemisFixture fixture;
    private BackgroundRelocation relocation;

    @BeforeEach
    void make() throws IOException {
        fixture = new ArtemisFixture();
        relocation = new BackgroundRelocation(fixture.context, fixture.parts);
        fixture.parts.dataFiles().add(oldest);
    }

    private void files(int count) {
        for (int id = 2; id <= count; id++) {
            fixture.parts.dataFiles().add(new DataFile(id, id));
        }
    }

    private Version live(int number, int bytes, DataFile file) {
        Version version = onDisk(image(number, bytes), file, number);
        fixture.index.put(version.key(), version);
        return version;
    }

    @Test
    void filesAreACrowdWhenTheLiveRecordsDoNotExplainThem() {
        assertThat(BackgroundRelocation.explainedFiles(4, 100 * 1024, 64 * 1024))
                .isEqualTo(7);
        assertThat(BackgroundRelocation.explainedFiles(16, 100 * 1024, 64 * 1024))
                .isEqualTo(16);
        assertThat(BackgroundRelocation.explainedFiles(1, 0, 64 * 1024)).isEqualTo(5);
    }

    @Test
    void nothingIsCopiedWhileTheLiveRecordsExplainTheFiles() {
        files(ArtemisFixture.SEGMENTS);
        live(1, 100, oldest);

        relocation.relocateSlice(rewriter);

        assertThat(rewriter.rewritten).isEmpty();
        assertThat(relocation.isUnderWay()).isFalse();
    }

    @Test
    void theRecordsOfTheOldestFileAreCopiedWhereThereIsOneFileMore() {
        files(ArtemisFixture.SEGMENTS + 1);
        Version version = live(1, 100, oldest);
        live(2, 100, fixture.parts.dataFiles().newest());

        relocation.relocateSlice(rewriter);

        assertThat(rewriter.rewritten).containsExactly(version);
        assertThat(relocation.isUnderWay()).isFalse();
    }

    @Test
    void oneSliceIsCopiedAtATime() {
        files(ArtemisFixture.SEGMENTS + 1);
        for (int i = 0; i < 5; i++) {
            live(i, SLICE_BYTES / 2, oldest);
        }

        relocation.relocateSlice(rewriter);
        assertThat(rewriter.rewritten).hasSize(2);
        assertThat(relocation.isUnderWay()).isTrue();
        relocation.relocateSlice(rewriter);
        assertThat(rewriter.rewritten).hasSize(4);
        relocation.relocateSlice(rewriter);

        assertThat(rewriter.rewritten).hasSize(5).doesNotHaveDuplicates();
        assertThat(relocation.isUnderWay()).isFalse();
    }

    @Test
    void aStoreWithoutRoomEndsTheRelocation() {
        files(ArtemisFixture.SEGMENTS + 1);
        live(1, 100, oldest);
        rewriter.refusal = new StoreFullException("thrown by the test");

        relocation.relocateSlice(rewriter);

        assertThat(relocation.isUnderWay()).isFalse();
        rewriter.refusal = null;
        relocation.relocateSlice(rewriter);
        assertThat(rewriter.rewritten).hasSize(1);
    }
}
