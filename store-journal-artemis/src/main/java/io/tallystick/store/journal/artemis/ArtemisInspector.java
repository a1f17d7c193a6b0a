package io.tallystick.store.journal.artemis;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.journal.inspect.JournalInspection;
import io.tallystick.store.journal.io.DirectoryFiles;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.InspectedFile.Role;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.store.spi.StoreInspector;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Looks into journals of the engine {@code artemis}. It does not read a journal that is in use. It recognizes a journal
 * without the Artemis library, and reads it only with the library.
 */
public final class ArtemisInspector implements StoreInspector {
    private static final String KIND = "journal-artemis-v1";
    // As in ArtemisFormat, whose class needs the library.
    private static final Pattern JOURNAL_FILE = Pattern.compile("tallystick-\\d{1,18}\\.jnl");
    private static final Pattern UNFINISHED_FILE = Pattern.compile("tallystick-\\d{1,18}\\.jnl\\.tmp");
    private static final String READY_FILE = "journal.ready";

    private final Disk disk;
    private final JournalInspection inspection;

    /** For {@link java.util.ServiceLoader}. */
    public ArtemisInspector() {
        this(new SystemDisk());
    }

    /** An inspector of directories on this disk. */
    public ArtemisInspector(Disk disk) {
        this.disk = disk;
        this.inspection = new JournalInspection(disk, KIND);
    }

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public boolean recognizes(Path directory) {
        return inspection.recognizes(directory, path -> disk.list(path).stream()
                .anyMatch(file ->
                        JOURNAL_FILE.matcher(file.getFileName().toString()).matches()));
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException the Artemis library is not on the class path
     */
    @Override
    public StoreInspection inspect(Path directory) {
        ArtemisLibrary.require();
        return inspection.inspect(directory, this::read, Optional.empty());
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException the Artemis library is not on the class path
     */
    @Override
    public StoreInspection inspectOwned(Path directory) {
        ArtemisLibrary.require();
        return inspection.inspectOwned(directory, this::read);
    }

    private StoreInspection read(StoreGlance glance) throws IOException {
        ArtemisReading reading = new ArtemisReading(
                disk,
                glance.path(),
                glance.identity().map(StoreIdentity::idBytes).orElse(null));
        reading.read();
        List<Damage> damages = JournalInspection.damagesOf(glance);
        damages.addAll(reading.damages());
        return new StoreInspection(
                glance.path(),
                KIND,
                reading.storeId().map(JournalInspection::uuid),
                Optional.empty(),
                JournalInspection.settings("artemis", glance, reading.fileBytes()),
                DirectoryFiles.in(disk, glance.path(), path -> roleOf(path, reading), reading::remark),
                reading.records(),
                damages);
    }

    private static Optional<Role> roleOf(Path path, ArtemisReading reading) {
        String name = path.getFileName().toString();
        if (name.equals(READY_FILE)) {
            return Optional.of(Role.MARKER);
        }
        if (JOURNAL_FILE.matcher(name).matches()) {
            return Optional.of(reading.isData(path) ? Role.DATA : Role.SPARE);
        }
        return UNFINISHED_FILE.matcher(name).matches() ? Optional.of(Role.LEFTOVER) : Optional.empty();
    }
}
