package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.OpenMode;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SegmentFactoryTest {
    private final SimulatedDisk disk = new SimulatedDisk();
    private SegmentFixture fixture;

    @BeforeEach
    void makeFactory() throws IOException {
        fixture = new SegmentFixture(disk);
    }

    private static SegmentHeader headerOf(SimulatedDisk on, Segment segment) throws IOException {
        byte[] bytes = on.contents(segment.path());
        return SegmentHeader.decode(
                ByteBuffer.wrap(bytes, 0, SegmentFormat.SEGMENT_HEADER_BYTES),
                SegmentFixture.STORE_ID,
                segment.path(),
                bytes.length);
    }

    @Test
    void aSpareSurvivesACrashWithItsNameAndItsHeader() throws IOException {
        fixture.factory.makeSpare(() -> false);
        Segment spare = fixture.ring.all().get(0);

        SimulatedDisk after = disk.crash(0);

        assertThat(headerOf(after, spare)).isEqualTo(spare.header());
        assertThat(fixture.room.free()).isEqualTo(spare.usableBytes());
        assertThat(fixture.factory.isHeaderInDoubt()).isFalse();
    }

    @Test
    void aFileThatCannotBeMadeLeavesNothingBehind() throws IOException {
        disk.setCapacity(SegmentFixture.SEGMENT_BYTES / 2);

        assertThatThrownBy(() -> fixture.factory.makeSpare(() -> false)).isInstanceOf(IOException.class);

        assertThat(disk.list(SegmentFixture.DIRECTORY)).isEmpty();
        assertThat(fixture.ring.spares()).isZero();
        assertThat(fixture.room.free()).isZero();
        assertThat(fixture.factory.isHeaderInDoubt()).isFalse();
    }

    @Test
    void aRecycledSegmentLivesInTheSameFileAndTheOldLifeIsFreed() throws IOException {
        Segment old = fixture.active();
        fixture.active();
        fixture.ring.takeOut(old);

        fixture.factory.recycle(old);

        Segment next = fixture.ring.all().get(1);
        assertThat(next.path()).isEqualTo(old.path());
        assertThat(next.id()).isGreaterThan(old.id());
        assertThat(old.isFreed()).isTrue();
        assertThat(next.isFreed()).isFalse();
        assertThat(headerOf(disk.crash(0), next)).isEqualTo(next.header());
    }

    @Test
    void unusedFilesOfOtherSizesAreReplaced() throws IOException {
        Path other = SegmentFixture.DIRECTORY.resolve(SegmentFormat.fileName(9));
        Segment small = smallSegment(fixture, other);

        fixture.factory.adoptSpares(List.of(small));

        assertThat(fixture.disk.kindOf(other)).isEqualTo(Disk.PathKind.MISSING);
        assertThat(fixture.ring.spares()).isEqualTo(1);
        assertThat(fixture.ring.all()).allMatch(fixture.ring::hasCurrentSize);
    }

    private static Segment smallSegment(SegmentFixture on, Path path) throws IOException {
        long bytes = SegmentFixture.SEGMENT_BYTES / 2;
        JournalFiles.put(on.disk, path, new byte[(int) bytes]);
        SegmentHeader header = new SegmentHeader(1, 1, bytes, SegmentFixture.BLOCK, 0, 1, 1, 0, 0);
        return new Segment(path, header, on.disk.open(path, on.io.mode()), on.disk.open(path, OpenMode.READ));
    }
}
