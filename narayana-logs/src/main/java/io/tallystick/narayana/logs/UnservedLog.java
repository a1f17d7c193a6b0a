package io.tallystick.narayana.logs;

import io.tallystick.storage.DeniedAccess;
import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreDirectoryException;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.store.spi.StoreInspectors;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.ServiceConfigurationError;

/**
 * A store of ours whose process has its transactions in another store now: whether transactions were left in it. Nobody
 * finishes them there.
 *
 * <p>The look only reads: it opens no store, takes no lock that lasts, and changes nothing. It reads the files of the
 * store once, so it may take seconds.
 */
public final class UnservedLog {
    private UnservedLog() {}

    /**
     * Looks for transactions in the store of this directory. Throws nothing: whatever keeps the look from an answer is
     * in the text.
     *
     * @param mostBytes the largest store that is read, the bytes of all its files
     * @return a sentence without its full stop, such as {@code 2 transactions lie in directory=/var/lib/tx}; it may
     *     also say that transactions may lie there, and why nobody knows. Empty if there are none, if there is no
     *     store, or if another process has the store and finishes them
     */
    public static Optional<String> remarkOn(Path directory, long mostBytes) {
        Path absolute = directory.toAbsolutePath().normalize();
        try {
            return lookAt(new SystemDisk(), absolute, mostBytes);
        } catch (StoreLockedException inUse) {
            return Optional.empty();
        } catch (StoreDirectoryException | StoreException unreadable) {
            return Optional.of(mayLie(absolute, unreadable.getMessage()));
        } catch (IOException unreadable) {
            return Optional.of(mayLie(absolute, DeniedAccess.textOf(unreadable)));
        } catch (UncheckedIOException | ServiceConfigurationError | OutOfMemoryError unreadable) {
            return Optional.of(mayLie(absolute, String.valueOf(unreadable)));
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
