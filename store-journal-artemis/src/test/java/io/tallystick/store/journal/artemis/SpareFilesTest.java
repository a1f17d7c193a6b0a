package io.tallystick.store.journal.artemis;

import static io.tallystick.store.journal.artemis.ArtemisFixture.DIRECTORY;
import static io.tallystick.store.journal.artemis.ArtemisFixture.image;
import static io.tallystick.store.journal.artemis.ArtemisFixture.removal;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.Disk;
import io.tallystick.store.journal.artemis.room.Shortfall;
import io.tallystick.store.log.commit.PendingAppend;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How spare files are made, counted, and given up where the disk refuses them. */
@Timeout(120)
class SpareFilesTest {
    private static final Path UNFINISHED = DIRECTORY.resolve("tallystick-99.jnl.tmp");

    private ArtemisFixture fixture;
    private JournalRoom room;
    private SpareFiles spares;

    @BeforeEach
    void load() throws IOException {
        fixture = new ArtemisFixture().load();
        room = new JournalRoom(fixture.factory, fixture.parts.live());
        spares = new SpareFiles(new ArtemisLog.Parts(
                fixture.factory,
                fixture.parts.dataFiles(),
                fixture.parts.files(),
                fixture.parts.live(),
                room,
                fixture.parts.failure()));
    }

    @AfterEach
    void close() throws IOException {
        fixture.close();
    }

    private <T> T housekeeping(Callable<T> task) throws IOException {
        return fixture.housekeeper().thread().call(task);
    }

    private Shortfall make(long wantedBytes) throws IOException {
        return housekeeping(() -> spares.make(wantedBytes));
    }

    @Test
    void asManyFilesAreKeptEmptyAsItSaysAndOneIsOpen() throws IOException {
        assertThat(make(0).isNone()).isTrue();

        assertThat(fixture.parts.files().spares()).isEqualTo(SpareFiles.SPARES);
        assertThat(fixture.parts.files().openSpares()).isPositive();
        assertThat(room.free()).isEqualTo(SpareFiles.SPARES * fixture.usableBytes());
        assertThat(room.fileCount()).isEqualTo(SpareFiles.SPARES);
    }

    @Test
    void filesAreMadeUntilTheRoomIsEnough() throws IOException {
        long wanted = (SpareFiles.SPARES + 1) * fixture.usableBytes() + 1;

        assertThat(make(wanted).isNone()).isTrue();

        assertThat(room.free()).isEqualTo((SpareFiles.SPARES + 2) * fixture.usableBytes());
    }

    @Test
    void noFileIsBegunOnAFullDisk() throws IOException {
        fixture.simulated.setCapacity(1);
        assertThat(make(0).isNone()).isTrue(); // those that are there are enough
        housekeeping(() -> {
            spares.openAll();
            return null;
        });
        fixture.disk.clearLog();

        Shortfall missing = make((SpareFiles.SPARES + 1) * fixture.usableBytes());

        assertThat(missing).isInstanceOf(Shortfall.OfRoom.class);
        assertThat(missing.noNextFile(DIRECTORY)).hasMessageContaining("usable-space=0");
        assertThat(fixture.disk.count(DiskOperation.OPEN)).isZero();
    }

    @Test
    void aFileThatTheDiskRefusesIsNoLackOfRoom() throws IOException {
        fixture.disk.inject(DiskFault.in(DiskOperation.RENAME).failingWith(DiskFault.EIO));

        Shortfall missing = make((SpareFiles.SPARES + 1) * fixture.usableBytes());

        assertThat(missing).isInstanceOf(Shortfall.OfFile.class);
        assertThat(fixture.simulated.list(DIRECTORY))
                .noneMatch(path -> path.toString().endsWith("." + ArtemisFormat.UNFINISHED_EXTENSION));
        assertThat(fixture.parts.failure().isSet()).isFalse();
        assertThat(make((SpareFiles.SPARES + 1) * fixture.usableBytes()).isNone())
                .isTrue();
    }

    @Test
    void anErrorCountsForTheStoreUnlessAFileIsBeingMade() throws IOException {
        IOException trouble = new IOException("thrown by the test");

        assertThat(housekeeping(() -> spares.heard(trouble))).isFalse();
        boolean[] isAboutAFile = new boolean[1];
        housekeeping(() -> {
            spares.run(() -> isAboutAFile[0] = spares.heard(trouble));
            return null;
        });
        assertThat(isAboutAFile[0]).isTrue();
        assertThat(housekeeping(() -> spares.heard(trouble))).isFalse();
    }

    @Test
    void aFileThatWasRefusedWhileItWasMadeIsDeleted() throws IOException {
        assertThat(existsAfterTask(() -> {})).isTrue();
        assertThat(existsAfterTask(() -> spares.heard(new IOException("thrown by the test"))))
                .isFalse();
    }

    private boolean existsAfterTask(Runnable task) throws IOException {
        DiskSequentialFile file =
                new DiskSequentialFile(fixture.factory, UNFINISHED.getFileName().toString());
        return housekeeping(() -> {
            file.open(1, false);
            file.close();
            spares.run(task);
            return fixture.simulated.kindOf(UNFINISHED) != Disk.PathKind.MISSING;
        });
    }

    @Test
    void allSpareFilesAreOpenedAsFarAsTheDiskLets() throws IOException {
        fixture.disk.inject(DiskFault.in(DiskOperation.OPEN).at(2).failingWith(DiskFault.EIO));
        housekeeping(() -> {
            spares.openAll();
            return null;
        });
        assertThat(fixture.parts.files().closedSpares()).isPositive();

        housekeeping(() -> {
            spares.openAll();
            return null;
        });

        assertThat(fixture.parts.files().closedSpares()).isZero();
        assertThat(fixture.parts.failure().isSet()).isFalse();
    }

    @Test
    void deadFilesThatCannotBeReusedFailTheStore() throws IOException {
        BatchWriter writer = new BatchWriter(fixture.recovered().journal(), fixture.parts, fixture.housekeeper());
        PendingAppend image = image(1, 100);
        writer.write(fixture.batch(fixture.recovered().active(), 1, ArtemisFormat.DATA_OFFSET, image));
        PendingAppend removal = removal(1);
        removal.supersede(image);
        writer.write(fixture.batchThatBegins(new DataFile(), 2, Map.of(), removal));
        writer.write(fixture.batchThatBegins(new DataFile(), 3, Map.of(), image(2, 100)));
        fixture.disk.inject(DiskFault.in(DiskOperation.WRITE).forEver().failingWith(DiskFault.EIO));

        assertThat(housekeeping(spares::reuseDeadFiles)).isFalse();

        assertThat(fixture.parts.failure().isSet()).isTrue();
    }

    @Test
    void whereNoFileIsDeadNothingFails() throws IOException {
        assertThat(housekeeping(spares::reuseDeadFiles)).isTrue();
        assertThat(fixture.parts.failure().isSet()).isFalse();
    }
}
