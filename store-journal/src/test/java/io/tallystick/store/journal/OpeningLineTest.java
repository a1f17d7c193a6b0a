package io.tallystick.store.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.ForwardingDisk;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.nio.file.Path;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator reads when a journal is opened, and what stays for a look at the details. */
class OpeningLineTest {
    private static final Logger OPENING = Logger.getLogger(ObjectStores.class.getName());

    @TempDir
    Path directory;

    private final List<LogRecord> records = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            records.add(record);
        }

        @Override
        public void flush() {
            // nothing is kept back
        }

        @Override
        public void close() {
            // nothing is open
        }
    };

    @BeforeEach
    void listen() {
        handler.setLevel(Level.ALL);
        OPENING.addHandler(handler);
        OPENING.setLevel(Level.ALL);
    }

    @AfterEach
    void stopListening() {
        OPENING.removeHandler(handler);
        OPENING.setLevel(null);
    }

    @Test
    void aDiskWithoutRoomForANewJournalIsSaidWithTheRoomThatItTakes() {
        Disk full = new ForwardingDisk(new SystemDisk()) {
            @Override
            public DiskFile open(Path file, OpenMode mode) throws IOException {
                if (file.getFileName().toString().contains("segment-")) {
                    throw new IOException("No space left on device");
                }
                return super.open(file, mode);
            }
        };

        assertThatThrownBy(() -> JournalStores.open(JournalStores.small(directory, "segmented", "channel"), full))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("cannot be opened: ")
                .hasMessageContaining("there is no room for it. A new journal makes 4 files of"
                        + " tallystick.journal.segment-size=4MiB; make room, or give a smaller size; nothing that was"
                        + " stored was changed")
                .hasMessageNotContaining("sound");
    }

    @Test
    void anOperatorReadsOneShortLineOfWhatRunsWhereAndHowQuickItIs() {
        open("auto");

        assertThat(texts(Level.INFO))
                .singleElement()
                .asString()
                .matches("TALLY0001 store opened: journal engine=segmented io=(channel|direct|aio|uring) directory=\\S+"
                        + " \\((\\d+ us a write|no room to try it)\\), records recovered: 0");
    }

    @Test
    void theReasonsForTheWayToTheDiskAreThereAtDebug() {
        open("auto");

        assertThat(texts(Level.FINE))
                .singleElement()
                .asString()
                .startsWith("TALLY0005 ")
                .contains("channel: ", "direct: ", "aio: ", "uring: ");
    }

    @Test
    void aWayThatWasAskedForIsNotExplained() {
        open("channel");

        assertThat(texts(Level.INFO))
                .singleElement()
                .asString()
                .matches("TALLY0001 store opened: journal engine=segmented io=channel directory=\\S+,"
                        + " records recovered: 0");
        assertThat(texts(Level.FINE)).isEmpty();
    }

    private void open(String io) {
        ObjectStores.open(StoreConfiguration.builder()
                        .store("journal")
                        .directory(directory.resolve("tx"))
                        .set(StoreOption.JOURNAL_IO, io)
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, 256 * StoreOption.KIB)
                        .set(StoreOption.MAX_STATE_SIZE, 16 * StoreOption.KIB)
                        .build())
                .close();
    }

    private List<String> texts(Level level) {
        return records.stream()
                .filter(record -> record.getLevel().equals(level))
                .map(record -> record.getParameters() == null
                        ? record.getMessage()
                        : MessageFormat.format(record.getMessage(), record.getParameters()))
                .toList();
    }
}
