package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.internal.arjuna.objectstore.hornetq.HornetqJournalEnvironmentBean;
import com.arjuna.ats.internal.arjuna.objectstore.slot.SlotStoreEnvironmentBean;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.tallystick.narayana.logs.MigrationMark;
import io.tallystick.narayana.logs.NarayanaRecords;
import io.tallystick.narayana.logs.OldLog;
import io.tallystick.narayana.logs.OldLogs;
import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.OnOldLog;
import io.tallystick.store.text.DatabaseUrl;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Keeps a store from being opened where one of Narayana's own logs holds transactions that the store does not have.
 * Recovery would not see them, and could roll back a branch whose commit was decided in the old log.
 *
 * <p>Asked at every opening of a store that serves Narayana's log. A store that is not new may lack them too: it was
 * tried once, and then Narayana's own store was used again. The mark of a migration counts for the store that the
 * migration made, and only for the records that it took along. A store in no directory, as in a database, is asked
 * only while it has no transaction itself. Narayana's JDBC store and slots in Infinispan cannot be seen from here.
 */
final class OldLogGuard {
    private static final System.Logger LOG = System.getLogger(TallystickObjectStore.class.getName());

    private final Disk disk;
    private final Supplier<Set<Path>> places;
    private final Predicate<StoreConfiguration> servesLog;

    /**
     * @param places where Narayana's own stores would be
     * @param servesLog whether Narayana's log is where this configuration opens a store
     */
    OldLogGuard(Disk disk, Supplier<Set<Path>> places, Predicate<StoreConfiguration> servesLog) {
        this.disk = disk;
        this.places = places;
        this.servesLog = servesLog;
    }

    /** The guard for an adaptor that Narayana makes as its settings say, or that a program makes. */
    static OldLogGuard ofThisProcess() {
        NarayanaRoles roles = NarayanaRoles.ofThisProcess();
        return ofThisProcess(configuration -> roles.areChosenByProgram() || roles.haveLogAt(configuration));
    }

    /** The guard for an adaptor that is installed in these roles. */
    static OldLogGuard ofThisProcess(Set<NarayanaStores.Role> roles) {
        return ofThisProcess(configuration -> roles.contains(NarayanaStores.Role.LOG)
                || NarayanaRoles.ofThisProcess().haveLogAt(configuration));
    }

    private static OldLogGuard ofThisProcess(Predicate<StoreConfiguration> servesLog) {
        return new OldLogGuard(new SystemDisk(), OldLogGuard::placesOfNarayana, servesLog);
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
        try {
            Optional<StoreGlance> glance = glanceAt(configuration);
            return glance.isEmpty()
                    || glance.get().identity().isEmpty()
                            && glance.get().damages().isEmpty();
        } catch (IOException unreadable) {
            return false; // opening it fails for the same reason, and tells it
        }
    }

    private Optional<StoreGlance> glanceAt(StoreConfiguration configuration) throws IOException {
        Optional<Path> directory =
                configuration.find(StoreOption.DIRECTORY).filter(each -> StoreSettings.isInDirectory(configuration));
        return directory.isEmpty() ? Optional.empty() : StoreGlance.at(disk, directory.get());
    }

    /**
     * Opens a store that forgets no transaction. Only an open store in no directory knows what it has; it is closed
     * again if it is refused.
     *
     * @throws InstallationException it would forget one, and the configuration does not allow that
     */
    ObjectStore open(StoreConfiguration configuration, Function<StoreConfiguration, ObjectStore> opener) {
        if (isInMemory(configuration) || StoreSettings.isInDirectory(configuration)) {
            check(configuration, isNew(configuration), this::identityOf);
            return opener.apply(configuration);
        }
        ObjectStore store = opener.apply(configuration);
        boolean isAllowed = false;
        try {
            if (store.types().stream().noneMatch(NarayanaRecords::isWork)) {
                check(configuration, store.types().isEmpty(), elsewhere -> store.health()
                        .storeId()
                        .map(UUID::toString));
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

    private Optional<String> identityOf(StoreConfiguration configuration) {
        try {
            return glanceAt(configuration).flatMap(StoreGlance::identity).map(identity -> identity.id()
                    .toString());
        } catch (IOException unreadable) {
            return Optional.empty(); // opening it fails for the same reason, and tells it
        }
    }

    private void check(
            StoreConfiguration configuration, boolean isNew, Function<StoreConfiguration, Optional<String>> identity) {
        OnOldLog reaction = configuration.get(StoreOption.ON_OLD_LOG);
        if (reaction == OnOldLog.IGNORE || !servesLog.test(configuration)) {
            return;
        }
        List<OldLog> logs = OldLogs.in(disk, places.get(), identity.apply(configuration));
        if (logs.isEmpty()) {
            return;
        }
        String found = (isNew ? "the store is new, but " : "the store was used before, but ")
                + logs.stream().map(OldLog::toString).collect(Collectors.joining("; "));
        String remedy = new Remedy(disk, configuration, isNew).of(logs);
        if (reaction == OnOldLog.WARN) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0414 " + found
                            + "; recovery does not see them there, and may roll back what was committed. This goes on"
                            + " because of tallystick.on-old-log=warn; instead, " + remedy);
            return;
        }
        throw new InstallationException(
                "TALLY0412",
                found + "; recovery would not see them there, and may roll back what was committed",
                remedy + ", or set tallystick.on-old-log=ignore if they are of no account");
    }

    /** A word of a command, as a shell of Unix reads it, or those of Windows. */
    static String quoted(String text, boolean isWindows) {
        if (isWindows) {
            return text.matches("[A-Za-z0-9_./:=@+~\\\\-]+") ? text : '"' + text + '"';
        }
        return text.matches("[A-Za-z0-9_./:=,@%+-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }

    /** What people do about transactions in old logs, for a message: only what works for this store and these logs. */
    private static final class Remedy {
        private static final String WITH_OLD_STORE = "start once more with the old store until they have ended";
        private static final String NEW_DIRECTORY = "NEW-DIRECTORY";

        private final Disk disk;
        private final StoreConfiguration configuration;
        private final boolean isNew;

        /** @param isNew whether nothing was written to the store yet */
        Remedy(Disk disk, StoreConfiguration configuration, boolean isNew) {
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
            if (!isInDirectory() && !isInMemory() && !(isNew && isInPostgresql())) {
                return WITH_OLD_STORE + ": they cannot be moved into this store";
            }
            if (!isNew) {
                // Two logs with transactions: the recovery of each takes the other's branches for orphans.
                return WITH_OLD_STORE
                        + ", with JTAEnvironmentBean.orphanSafetyInterval=86400000 so that recovery leaves"
                        + " the branches of this store alone";
            }
            return (isInPostgresql() ? migrationIntoDatabase(logs) : migration(logs)) + " Or " + WITH_OLD_STORE;
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
            Optional<Path> target =
                    target().filter(directory -> !directory.startsWith(log) && !log.startsWith(directory));
            return "stop the process and run: tallystick migrate " + kind() + quoted(log) + ' '
                    + target.map(Remedy::quoted).orElse(NEW_DIRECTORY) + '.'
                    + (target.isPresent()
                            ? ""
                            : " Then set tallystick.directory=" + NEW_DIRECTORY + ", with a store on disk.")
                    + othersFirst(logs);
        }

        private static String othersFirst(List<OldLog> logs) {
            return logs.size() == 1 ? "" : " Move the other logs to directories of their own first.";
        }

        // The parameters of the URL are left out: one may be a password.
        private String migrationIntoDatabase(List<OldLog> logs) {
            String url = configuration.find(StoreOption.POSTGRESQL_URL).orElse("URL");
            String address = DatabaseUrl.withoutSecrets(url);
            return "stop the process and run: tallystick migrate --to=postgresql --url=" + quoted(address) + " --node="
                    + quoted(configuration.find(StoreOption.NODE_ID).orElse("NODE"))
                    + option(" --schema=", StoreOption.POSTGRESQL_SCHEMA)
                    + option(" --user=", StoreOption.POSTGRESQL_USER)
                    + option(" --password-file=", StoreOption.POSTGRESQL_PASSWORD_FILE)
                    + option(" -D" + StoreOption.REQUIRE_REPLICATION.key() + '=', StoreOption.REQUIRE_REPLICATION)
                    + ' ' + quoted(logs.get(0).directory()) + '.'
                    + (address.equals(url)
                            ? ""
                            : " Give --url the parameters of " + StoreOption.POSTGRESQL_URL.key() + " too.")
                    + " It replaces the log of the node only if nothing was ever written to that." + othersFirst(logs);
        }

        private String option(String name, StoreOption<?> option) {
            return configuration.isSet(option)
                    ? name + quoted(configuration.get(option).toString())
                    : "";
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

        private boolean isInPostgresql() {
            return configuration.get(StoreOption.STORE).equals("postgresql");
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
            return quoted(path.toString());
        }

        private static String quoted(String text) {
            return OldLogGuard.quoted(
                    text, FileSystems.getDefault().getSeparator().equals("\\"));
        }
    }
}
