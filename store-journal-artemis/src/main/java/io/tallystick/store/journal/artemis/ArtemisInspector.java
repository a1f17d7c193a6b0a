package io.tallystick.store.journal.artemis;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.journal.inspect.JournalInspector;
import io.tallystick.store.spi.StoreInspection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Looks into journals of the engine {@code artemis}. It does not read a journal that is in use. It recognizes a journal
 * without the Artemis library. Without it, {@code inspect} throws IllegalArgumentException.
 */
public final class ArtemisInspector extends JournalInspector {
    private static final Pattern JOURNAL_FILE = // as in ArtemisFormat, whose class needs the library
            Pattern.compile("tallystick-\\d{1,18}\\.jnl");

    /** For {@link java.util.ServiceLoader}. */
    public ArtemisInspector() {
        this(new SystemDisk());
    }

    /** An inspector of directories on this disk. */
    public ArtemisInspector(Disk disk) {
        super(disk, "journal-artemis-v1", "artemis");
    }

    @Override
    protected boolean isJournalFile(Path file) {
        return JOURNAL_FILE.matcher(file.getFileName().toString()).matches();
    }

    @Override
    protected StoreInspection read(Disk disk, StoreGlance glance) throws IOException {
        ArtemisLibrary.require();
        ArtemisReading reading = new ArtemisReading(
                disk,
                glance.path(),
                glance.identity().map(StoreIdentity::idBytes).orElse(null));
        reading.read();
        return found(glance, reading.storeId(), reading, reading.records(), reading.damages());
    }
}
