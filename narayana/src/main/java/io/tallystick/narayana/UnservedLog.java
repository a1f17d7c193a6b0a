package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.tallystick.narayana.logs.NarayanaRecords;
import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreDirectoryException;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.store.spi.StoreInspectors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The log of a process that has its transactions in another store, and leaves ours alone: whether transactions were
 * left in it. Nobody finishes them there.
 *
 * <p>The look only reads: it opens no store, takes no lock that lasts, and changes nothing. It reads the files of the
 * store once, so it may take seconds. A store in a database, or in memory, is not looked at.
 */
public final class UnservedLog {
    /** The largest store that is read, bytes: a log with all defaults has an eighth of it. */
    static final long MOST_BYTES = 1024 * StoreOption.MIB;

    private UnservedLog() {}

    /**
     * Looks for transactions in the store that this configuration names, or in the default one of Narayana's {@code
     * objectStoreDir}. Throws nothing: whatever keeps the look from an answer is in the text.
     *
     * @return a sentence without its full stop, such as {@code 2 transactions lie in directory=/var/lib/tx}; it may
     *     also say that transactions may lie there, and why nobody knows. Empty if there are none, or if another
     *     process has the store and finishes them
     */
    public static Optional<String> remarkOn(StoreConfiguration configuration) {
        return remarkOn(configuration, MOST_BYTES);
    }

    static Optional<String> remarkOn(StoreConfiguration configuration, long mostBytes) {
        if (!StoreSettings.isInDirectory(configuration)) {
            return Optional.empty();
        }
        Path directory;
        try {
            directory = StoreSettings.withDirectory(
                            configuration, BeanPopulator.getDefaultInstance(ObjectStoreEnvironmentBean.class))
                    .get(StoreOption.DIRECTORY)
                    .toAbsolutePath()
                    .normalize();
        } catch (IllegalArgumentException none) {
            return Optional.empty(); // without a directory there never was a store
        }
        try {
            return lookAt(new SystemDisk(), directory, mostBytes);
        } catch (StoreLockedException inUse) {
            return Optional.empty();
        } catch (StoreDirectoryException | StoreException unreadable) {
            return Optional.of(mayLie(directory, unreadable.getMessage()));
        } catch (IOException unreadable) {
            return Optional.of(mayLie(directory, unreadable.toString()));
        }
    }

    private static Optional<String> lookAt(Disk disk, Path directory, long mostBytes) throws IOException {
        Optional<StoreGlance> glance = StoreGlance.at(disk, directory);
        boolean isStore = glance.isPresent()
                && (glance.get().identity().isPresent()
                        || !glance.get().damages().isEmpty());
        if (!isStore || glance.get().holder().isPresent()) {
            return Optional.empty();
        }
        long bytes = bytesIn(disk, glance.get().path());
        if (bytes > mostBytes) {
            return Optional.of(mayLie(directory, "it has " + bytes + " bytes, too many for a look at a start"));
        }
        StoreInspection inspection = StoreInspectors.inspect(glance.get().path());
        long found = inspection.records().stream()
                .filter(record -> NarayanaRecords.isWork(record.key().type()))
                .count();
        if (!inspection.isHealthy()) {
            return Optional.of(
                    mayLie(directory, "it is damaged: " + inspection.damages().get(0)));
        }
        return found == 0
                ? Optional.empty()
                : Optional.of(found + (found == 1 ? " transaction lies" : " transactions lie") + " in directory="
                        + directory);
    }

    private static long bytesIn(Disk disk, Path directory) throws IOException {
        long bytes = 0;
        for (Path file : disk.list(directory)) {
            switch (disk.kindOf(file)) {
                case FILE -> bytes += disk.size(file);
                case DIRECTORY -> bytes += bytesIn(disk, file);
                default -> {} // a store does not follow links
            }
        }
        return bytes;
    }

    private static String mayLie(Path directory, String why) {
        return "transactions may lie in directory=" + directory + " (" + why + ")";
    }
}
