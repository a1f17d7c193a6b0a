package io.tallystick.narayana;

import io.tallystick.narayana.logs.MigrationMark;
import io.tallystick.narayana.logs.OldLog;
import io.tallystick.storage.Disk;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What people do about transactions in old logs, for a message: only what works for this store and these logs. */
final class OldLogRemedy {
    private static final String WITH_OLD_STORE = "start once more with the old store until they have ended";
    private static final String NEW_DIRECTORY = "NEW-DIRECTORY";

    private final Disk disk;
    private final StoreConfiguration configuration;
    private final boolean isNew;

    /** @param isNew whether nothing was written to the store yet */
    OldLogRemedy(Disk disk, StoreConfiguration configuration, boolean isNew) {
        this.disk = disk;
        this.configuration = configuration;
        this.isNew = isNew;
    }

    /** The end of a sentence, without its full stop. */
    String of(List<OldLog> logs) {
        OldLog first = logs.get(0);
        if (first.takenTo().isPresent()) {
            return otherStore(first.takenTo().get()) + ". If they have ended there, move the old log away";
        }
        boolean canMigrate = logs.stream().allMatch(OldLog::isOfKnownForm)
                && logs.stream().allMatch(log -> log.takenTo().isEmpty());
        if (!canMigrate) {
            return WITH_OLD_STORE + ", and move the old log away then";
        }
        if (!isInDirectory() && !isInMemory()) {
            return WITH_OLD_STORE + ": they cannot be moved into this store";
        }
        if (!isNew) {
            // Two logs with transactions: the recovery of each takes the other's branches for orphans.
            return WITH_OLD_STORE + ", with JTAEnvironmentBean.orphanSafetyInterval=86400000 so that recovery leaves"
                    + " the branches of this store alone";
        }
        return migration(logs) + " Or " + WITH_OLD_STORE;
    }

    // The place of the mark is a directory, except where a store lies elsewhere.
    private String otherStore(String place) {
        try {
            if (MigrationMark.identityOf(disk, Path.of(place)).isPresent()) {
                return "use the store that has them, with tallystick.directory=" + place;
            }
        } catch (IOException | InvalidPathException notThere) {
            // said below
        }
        return "bring back the store that has them, " + place + ", and use it";
    }

    private String migration(List<OldLog> logs) {
        Path log = logs.get(0).directory();
        Optional<Path> target = target().filter(directory -> !directory.startsWith(log) && !log.startsWith(directory));
        return "stop the process and run: tallystick migrate " + kind() + quoted(log) + ' '
                + target.map(OldLogRemedy::quoted).orElse(NEW_DIRECTORY) + '.'
                + (target.isPresent()
                        ? ""
                        : " Then set tallystick.directory=" + NEW_DIRECTORY + ", with a store on disk.")
                + (logs.size() == 1 ? "" : " Move the other logs to directories of their own first.");
    }

    private String kind() {
        if (configuration.get(StoreOption.STORE).equals("file")) {
            return "--to=file ";
        }
        return configuration.get(StoreOption.JOURNAL_ENGINE).equals("artemis") ? "--to=artemis " : "";
    }

    private boolean isInDirectory() {
        return StoreSettings.isInDirectory(configuration);
    }

    private boolean isInMemory() {
        return configuration.get(StoreOption.STORE).equals("inmemory");
    }

    private Optional<Path> target() {
        return isInDirectory()
                ? configuration
                        .find(StoreOption.DIRECTORY)
                        .map(directory -> directory.toAbsolutePath().normalize())
                : Optional.empty();
    }

    private static String quoted(Path path) {
        String text = path.toString();
        return text.matches("[A-Za-z0-9_./:=,@%+-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
