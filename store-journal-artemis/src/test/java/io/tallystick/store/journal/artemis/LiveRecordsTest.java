package io.tallystick.store.journal.artemis;

import static io.tallystick.store.journal.artemis.ArtemisFixture.image;
import static io.tallystick.store.journal.artemis.ArtemisFixture.onDisk;
import static io.tallystick.store.journal.artemis.ArtemisFixture.removal;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.StateKey;
import io.tallystick.store.log.commit.PendingAppend;
import io.tallystick.store.log.spi.Version;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class LiveRecordsTest {
    private final ConcurrentHashMap<StateKey, Version> index = new ConcurrentHashMap<>();
    private final LiveRecords live = new LiveRecords(index);
    private final DataFile file = new DataFile(1, 1);
    private final DataFile otherFile = new DataFile(2, 2);

    private Version add(Version version) {
        index.put(version.key(), version);
        return version;
    }

    @Test
    void theLongestRecordIsRememberedForEver() {
        assertThat(live.longest()).isZero();
        live.noteLength(300);
        live.noteLength(200);
        assertThat(live.longest()).isEqualTo(300);
        live.noteLength(400);
        assertThat(live.longest()).isEqualTo(400);
    }

    @Test
    void recoveredRecordsAreAsLongAsThoseThatAreWritten() {
        Version longer = add(onDisk(image(1, 500), file, 1));
        add(onDisk(image(2, 100), file, 2));

        live.noteRecovered();

        assertThat(live.longest()).isEqualTo(longer.recordLength());
        assertThat(live.count()).isEqualTo(2);
    }

    @Test
    void onlyImagesOnDiskInTheFileAreInIt() {
        Version there = add(onDisk(image(1, 100), file, 1));
        add(onDisk(image(2, 100), otherFile, 2));
        add(onDisk(removal(3), file, 3));
        PendingAppend onItsWay = image(4, 100);
        onItsWay.place(file, 4);
        add(onItsWay);

        assertThat(live.in(file)).containsExactly(there);
    }

    @Test
    void theBytesAreThoseThatWereSaidLast() {
        live.bytesAre(5);
        live.bytesAre(3);

        assertThat(live.bytes()).isEqualTo(3);
    }
}
