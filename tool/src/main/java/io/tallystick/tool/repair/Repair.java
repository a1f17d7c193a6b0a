package io.tallystick.tool.repair;

import io.tallystick.storage.DiskLock;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.StoreDirectoryException;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.InspectedFile;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.Progress;
import io.tallystick.tool.command.StoreAccess;
import io.tallystick.tool.command.StoreCopy;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Changes a store's files under its lock, for a repair, a compaction, or the return of quarantined files or a backup.
 * Each of them first makes a whole new store and then exchanges the files, see {@link StoreSwap}.
 */
public final class Repair implements AutoCloseable {
    private static final DateTimeFormatter NAME = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH-mm-ss'Z'", Locale.ROOT);

    private final StoreAccess access;
    private final Path directory;
    private final DiskLock lock;
    private final StoreSwap swap;
    private final StoreCopy copy;

    private Repair(StoreAccess access, Path directory, DiskLock lock, Progress progress) {
        this.access = access;
        this.directory = directory;
        this.lock = lock;
        this.swap = new StoreSwap(access.disk(), directory);
        this.copy = new StoreCopy(access, progress);
    }

    /**
     * Takes the directory's lock.
     *
     * @param mayCreate whether a directory that is missing is made
     * @throws ToolException another process has it, or it cannot be used
     */
    public static Repair of(StoreAccess access, Path directory, boolean mayCreate, Progress progress)
            throws IOException {
        try {
            DiskLock lock = StoreDirectory.claim(access.disk(), directory, mayCreate);
            Path real = access.disk().realPath(directory.toAbsolutePath().normalize());
            return new Repair(access, real, lock, progress);
        } catch (StoreDirectoryException refused) {
            throw new ToolException(
                    refused.reason() == StoreDirectoryException.Reason.LOCKED ? ExitStatus.IN_USE : ExitStatus.FAILED,
                    refused.getMessage(),
                    refused);
        }
    }

    /**
     * Checks that no exchange of files was cut off.
     *
     * @throws ToolException one was; nothing was changed
     */
    void checkNoExchange() throws IOException {
        if (swap.begun().isPresent()) {
            throw new ToolException(
                    ExitStatus.REFUSED,
                    "directory=" + directory + ": an exchange of files was cut off; 'tallystick repair --yes' finishes"
                            + " it; nothing was changed");
        }
    }

    /** The exchange of files in the directory. */
    StoreSwap swap() {
        return swap;
    }

    /**
     * Completes the work of a call that was cut off, and deletes its leftovers; true if there was work to complete.
     */
    public boolean finishEarlier() throws IOException {
        boolean isBegun = swap.begun().isPresent();
        swap.finish();
        swap.clean();
        return isBegun;
    }

    /** The present store of the directory. */
    public StoreInspection inspection() throws IOException {
        return access.inspectOwned(directory);
    }

    /**
     * Replaces this store by a new one with the same records.
     *
     * @param now the time, for the name under which the old files are put aside
     * @param settings configuration keys and values that win over those of the old store
     */
    public StoreSwap.QuarantinedFiles rebuild(
            StoreInspection old, StoreSwap.Purpose purpose, Instant now, Map<String, String> settings)
            throws IOException {
        String name = nameAt(now, purpose);
        copy.copy(old, swap.begin(name), settings);
        return swap.swap(name, purpose, filesOf(Optional.of(old)), remarks(old));
    }

    /** Replaces the present files by those of {@code filler}. */
    public StoreSwap.QuarantinedFiles replace(Optional<StoreInspection> old, Instant now, StoreFiller filler)
            throws IOException {
        String name = nameAt(now, StoreSwap.Purpose.RESTORE);
        filler.fill(swap.begin(name));
        return swap.swap(
                name,
                StoreSwap.Purpose.RESTORE,
                filesOf(old),
                old.map(Repair::remarks).orElse(Map.of()));
    }

    /** Fills an empty directory with a whole store. */
    public interface StoreFiller {
        /** Makes the store. */
        void fill(Path made) throws IOException;
    }

    /** As {@link StoreCopy#copy}. */
    public void copy(StoreInspection source, Path target, Map<String, String> settings) throws IOException {
        copy.copy(source, target, settings);
    }

    private static List<Path> filesOf(Optional<StoreInspection> old) {
        return old.stream()
                .flatMap(there -> there.files().stream())
                .filter(file -> file.role().isStores())
                .map(InspectedFile::path)
                .toList();
    }

    private static Map<String, String> remarks(StoreInspection old) {
        Map<String, String> remarks = new LinkedHashMap<>();
        remarks.put("kind", old.kind());
        remarks.put("id", old.storeId().map(Object::toString).orElse("unknown"));
        remarks.put("records", Integer.toString(old.records().size()));
        int number = 0;
        for (Damage damage : old.damages()) {
            remarks.put("damage-" + ++number, damage.describe());
        }
        return remarks;
    }

    private static String nameAt(Instant now, StoreSwap.Purpose purpose) {
        return NAME.format(now.atOffset(ZoneOffset.UTC)) + "-" + purpose.label();
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
