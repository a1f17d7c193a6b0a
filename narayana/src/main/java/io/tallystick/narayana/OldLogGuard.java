package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.internal.arjuna.objectstore.hornetq.HornetqJournalEnvironmentBean;
import com.arjuna.ats.internal.arjuna.objectstore.slot.SlotStoreEnvironmentBean;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.tallystick.narayana.logs.OldLog;
import io.tallystick.narayana.logs.OldLogs;
import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.OnOldLog;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Keeps a new store from being opened where one of Narayana's own logs still holds transactions. Recovery would find
 * the new store empty, and could roll back a branch whose commit was decided in the old one.
 *
 * <p>Asked only while our store is new: it has no identity yet, is in memory, or is empty and in no directory. A log
 * that a migration has marked counts only for what came later. Narayana's JDBC store cannot be seen from here.
 */
final class OldLogGuard {
    private static final System.Logger LOG = System.getLogger(TallystickObjectStore.class.getName());

    private final Disk disk;
    private final Supplier<Set<Path>> places;

    /** @param places where Narayana's own stores would be */
    OldLogGuard(Disk disk, Supplier<Set<Path>> places) {
        this.disk = disk;
        this.places = places;
    }

    static OldLogGuard ofThisProcess() {
        return new OldLogGuard(new SystemDisk(), OldLogGuard::placesOfNarayana);
    }

    // Narayana's journal and slots have a setting each; its tree of files is in the object store's directory.
    private static Set<Path> placesOfNarayana() {
        List<String> names = new ArrayList<>();
        names.add(BeanPopulator.getDefaultInstance(ObjectStoreEnvironmentBean.class)
                .getObjectStoreDir());
        names.add(BeanPopulator.getDefaultInstance(HornetqJournalEnvironmentBean.class)
                .getStoreDir());
        names.add(
                BeanPopulator.getDefaultInstance(SlotStoreEnvironmentBean.class).getStoreDir());
        Set<Path> places = new LinkedHashSet<>();
        for (String name : names) {
            if (name != null && !name.isBlank()) {
                pathOf(name).ifPresent(places::add);
            }
        }
        return places;
    }

    private static Optional<Path> pathOf(String name) {
        try {
            return Optional.of(Path.of(name));
        } catch (InvalidPathException noStoreCanBeThere) {
            return Optional.empty();
        }
    }

    /** Whether the store that the configuration describes has no identity in its directory yet, or keeps none. */
    boolean isNew(StoreConfiguration configuration) {
        Optional<Path> directory = configuration.find(StoreOption.DIRECTORY);
        if (directory.isEmpty() || !StoreSettings.isInDirectory(configuration)) {
            return true;
        }
        try {
            Optional<StoreGlance> glance = StoreGlance.at(disk, directory.get());
            return glance.isEmpty()
                    || glance.get().identity().isEmpty()
                            && glance.get().damages().isEmpty();
        } catch (IOException unreadable) {
            return false; // opening it fails for the same reason, and tells it
        }
    }

    /**
     * Opens a store that forgets no transaction. A store whose log is in no directory, as in a database, is new while
     * it is empty. Only the open store knows that; it is closed again if it is refused.
     *
     * @throws InstallationException it would forget one, and the configuration does not allow that
     */
    ObjectStore open(StoreConfiguration configuration, Function<StoreConfiguration, ObjectStore> opener) {
        if (isInMemory(configuration) || StoreSettings.isInDirectory(configuration)) {
            check(configuration);
            return opener.apply(configuration);
        }
        ObjectStore store = opener.apply(configuration);
        boolean isAllowed = false;
        try {
            if (store.types().isEmpty()) {
                check(configuration);
            }
            isAllowed = true;
        } finally {
            if (!isAllowed) {
                store.close();
            }
        }
        return store;
    }

    private static boolean isInMemory(StoreConfiguration configuration) {
        return configuration.get(StoreOption.STORE).equals("inmemory");
    }

    /**
     * Checks that a new store forgets no transaction.
     *
     * @throws InstallationException it would, and the configuration does not allow that
     */
    private void check(StoreConfiguration configuration) {
        OnOldLog reaction = configuration.get(StoreOption.ON_OLD_LOG);
        if (reaction == OnOldLog.IGNORE || !isNew(configuration)) {
            return;
        }
        List<OldLog> logs = OldLogs.in(disk, places.get());
        if (logs.isEmpty()) {
            return;
        }
        String found = logs.stream().map(OldLog::toString).collect(Collectors.joining("; "));
        if (reaction == OnOldLog.WARN) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0414 the store is new, but " + found
                            + "; recovery does not see them there, and may roll back what was committed. This goes on"
                            + " because of tallystick.on-old-log=warn. " + remedy(configuration, logs));
            return;
        }
        throw new InstallationException(
                "TALLY0412",
                "the store is new, but " + found
                        + "; recovery would not see them there, and may roll back what was committed",
                remedy(configuration, logs)
                        + " Or start once more with the old store until they have ended, or set"
                        + " tallystick.on-old-log=ignore if they are of no account");
    }

    private static String remedy(StoreConfiguration configuration, List<OldLog> logs) {
        Path log = logs.get(0).directory();
        Optional<Path> target = target(configuration).filter(directory -> !directory.startsWith(log));
        return "stop the process and run: tallystick migrate " + to(configuration) + quoted(log) + ' '
                + target.map(OldLogGuard::quoted).orElse("NEW-DIRECTORY") + '.'
                + (target.isPresent() ? "" : " Then set tallystick.directory=NEW-DIRECTORY, with a store on disk.")
                + (logs.size() == 1 ? "" : " Move the other logs to directories of their own first.");
    }

    private static String to(StoreConfiguration configuration) {
        if (configuration.get(StoreOption.STORE).equals("file")) {
            return "--to=file ";
        }
        return configuration.get(StoreOption.JOURNAL_ENGINE).equals("artemis") ? "--to=artemis " : "";
    }

    private static Optional<Path> target(StoreConfiguration configuration) {
        return StoreSettings.isInDirectory(configuration)
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
