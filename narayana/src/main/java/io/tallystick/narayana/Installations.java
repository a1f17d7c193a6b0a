package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.arjuna.utils.Utility;
import com.arjuna.ats.internal.arjuna.recovery.TransactionStatusManagerItem;
import io.tallystick.narayana.NarayanaStores.Role;
import io.tallystick.narayana.StoreSource.Opened;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The store that {@link NarayanaStores} has installed in this process, if there is one, and how many share it.
 *
 * <p><b>Why this one is static.</b> Narayana's {@code StoreManager} is: it has one store for each role for the whole
 * process. Application contexts that do not know each other meet there.
 */
final class Installations {
    private static final Installations OF_THIS_PROCESS = new Installations(OpenStores.ofThisProcess());

    private final OpenStores stores;
    // Held while a store is installed or taken away, which is where Narayana's own fields change.
    private final ReentrantLock lock = new ReentrantLock();
    // Written under the lock. Adaptors read it without the lock: they hold theirs, which this class takes under its
    // own.
    private volatile Installation current;

    private Installations(OpenStores stores) {
        this.stores = stores;
    }

    static Installations ofThisProcess() {
        return OF_THIS_PROCESS;
    }

    /** Installs an open store, or joins those who have installed it. */
    Installation install(ObjectStore store, Set<Role> roles, Refusals refusals) {
        return locked(() -> {
            Optional<Installation> there = present();
            if (there.isPresent()) {
                return there.get().joinedWith(store, roles);
            }
            return opened(installed(
                    Optional.empty(),
                    roles,
                    () -> new TallystickObjectStore(source(StoreSource.given(stores, store))),
                    Optional.of(refusals)));
        });
    }

    /** Opens and installs a store, or joins those who have installed one with these settings. */
    Installation install(StoreConfiguration configuration, Set<Role> roles, Refusals refusals) {
        return locked(() -> {
            Optional<Installation> there = present();
            if (there.isPresent()) {
                return there.get().joinedWith(configuration, roles);
            }
            return opened(installed(
                    Optional.of(configuration),
                    roles,
                    () -> new TallystickObjectStore(source(StoreSource.configured(stores, () -> configuration, roles))),
                    Optional.of(refusals)));
        });
    }

    /** Takes the places for a store that its first use opens. */
    Installation installLater(Supplier<StoreConfiguration> settings, Set<Role> roles) {
        return locked(() -> {
            present();
            return installed(
                    Optional.empty(),
                    roles,
                    () -> new TallystickObjectStore(source(StoreSource.configured(stores, settings, roles))),
                    Optional.empty());
        });
    }

    /**
     * Whether a store is installed, and with which settings: empty if none is; settings that are empty if a program has
     * opened it.
     */
    Optional<Optional<StoreConfiguration>> configured() {
        return locked(() -> present().map(there -> there.configuration));
    }

    /** Runs the action while no other thread installs a store or takes one away. */
    <T> T exclusively(Supplier<T> action) {
        return locked(action);
    }

    private static Installation opened(Installation made) {
        made.store();
        return made;
    }

    // Recovery keeps the first adaptor of the process for ever. It must work on the store that Narayana has now.
    private StoreSource source(StoreSource own) {
        return StoreSource.withSuccessor(own, () -> Optional.ofNullable(current).flatMap(Installation::visited));
    }

    private Optional<Installation> present() {
        // A program may have called StoreManager.shutdown() itself.
        if (current != null && current.isOver()) {
            current = null;
        }
        return Optional.ofNullable(current);
    }

    /** @param openedNow the log for a refusal of the opening; empty where the first use opens */
    private Installation installed(
            Optional<StoreConfiguration> configuration,
            Set<Role> roles,
            Supplier<TallystickObjectStore> maker,
            Optional<Refusals> openedNow) {
        Map<Role, TallystickObjectStore> adaptors = new EnumMap<>(Role.class);
        // Narayana makes its own stores under this monitor, but takes ours without it: a store that it is making
        // would replace ours.
        synchronized (StoreManager.class) {
            // Asked before anything is opened. Narayana's constructor refuses where this cannot be read.
            NarayanaOccupant.find().ifPresent(Installations::refuse);
            roles.forEach(role -> adaptors.put(role, maker.get()));
            if (openedNow.isPresent()) {
                openAndHandOver(adaptors, configuration.isPresent(), openedNow.get());
            } else {
                handOver(adaptors);
            }
        }
        Installation made = new Installation(configuration, adaptors);
        current = made;
        return made;
    }

    // Opens first: what cannot be opened must not have Narayana's places.
    private static void openAndHandOver(
            Map<Role, TallystickObjectStore> adaptors, boolean isOpenedHere, Refusals refusals) {
        List<TallystickObjectStore> started = new ArrayList<>();
        boolean isInstalled = false;
        try {
            for (TallystickObjectStore adaptor : adaptors.values()) {
                adaptor.start(refusals);
                if (isOpenedHere) { // a store that a program has opened stays open
                    started.add(adaptor);
                }
            }
            handOver(adaptors);
            isInstalled = true;
        } finally {
            if (!isInstalled) {
                started.forEach(TallystickObjectStore::stop);
            }
        }
    }

    private static void handOver(Map<Role, TallystickObjectStore> adaptors) {
        try {
            new StoreManager(adaptors.get(Role.LOG), adaptors.get(Role.STATES), adaptors.get(Role.MESSAGES));
        } catch (IllegalStateException taken) {
            refuse(NarayanaOccupant.find().orElse("a store that cannot be named"));
        }
    }

    private static void refuse(String occupant) {
        throw new InstallationException(
                "TALLY0413",
                "Narayana has a store already and takes no other: " + occupant,
                "install the store earlier: after Narayana's properties are set, before its recovery manager starts"
                        + " and before the first transaction. If an earlier start in this process left that store,"
                        + " call StoreManager.shutdown() when that one ends");
    }

    private <T> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    /** One installed store. Its count is guarded by the lock. */
    final class Installation {
        private final Optional<StoreConfiguration> configuration;
        private final Map<Role, TallystickObjectStore> adaptors;
        // Null while it has not been asked for.
        private volatile ObjectStore store;
        private int leases = 1;
        private Runnable companion = () -> {};

        private Installation(Optional<StoreConfiguration> configuration, Map<Role, TallystickObjectStore> adaptors) {
            this.configuration = configuration;
            this.adaptors = adaptors;
        }

        /** The store, opened if need be. After the end it is the one that was open. */
        ObjectStore store() {
            ObjectStore found = store;
            if (found == null) {
                found = adaptors.values().iterator().next().store();
                store = found;
            }
            return found;
        }

        Set<Role> roles() {
            return Set.copyOf(adaptors.keySet());
        }

        /** Whether more than one handle has it. */
        boolean isShared() {
            return locked(() -> leases > 1);
        }

        /** What ends when the last handle gives the store back, before the store is closed. */
        void endWith(Runnable ending) {
            locked(() -> {
                companion = ending;
                return null;
            });
        }

        private Installation joinedWith(ObjectStore other, Set<Role> roles) {
            return joinedWith(store() == other ? List.of() : List.of("the store is " + other.description()), roles);
        }

        private Installation joinedWith(StoreConfiguration other, Set<Role> roles) {
            return joinedWith(
                    configuration
                            .map(own -> OpenStores.differences(own, other))
                            .orElse(List.of("the store that is there was opened by a program")),
                    roles);
        }

        private Installation joinedWith(List<String> differencesOfStore, Set<Role> roles) {
            List<String> differences = new ArrayList<>(differencesOfStore);
            if (!roles.equals(roles())) {
                differences.add("roles " + adaptors.keySet() + " against " + roles);
            }
            if (!differences.isEmpty()) {
                throw new InstallationException(
                        "TALLY0418",
                        "this process has a store installed with other settings: " + store().description()
                                + "; the differences: " + String.join(", ", differences),
                        "Narayana has one store for the whole process. Close the first application context before"
                                + " the second one starts (@DirtiesContext in Spring's tests), or give both the same"
                                + " settings, and so the same directory");
            }
            leases++;
            return this;
        }

        private boolean isOver() {
            return adaptors.values().stream().allMatch(TallystickObjectStore::isStopped);
        }

        private Optional<Opened> visited() {
            // Asked first: a stopped adaptor of this installation asks here for a store itself.
            if (store == null && adaptors.values().stream().anyMatch(TallystickObjectStore::isStopped)) {
                return Optional.empty();
            }
            return Optional.of(StoreSource.visiting(
                    store(), StoreSource.removals(configuration.orElseGet(StoreConfiguration::fromEnvironment))));
        }

        /** Gives one share back. The last one shuts Narayana's stores down, unless a program has done so. */
        void release() {
            locked(() -> {
                leases--;
                if (leases == 0) {
                    companion.run();
                }
                if (leases == 0 && current == this) {
                    current = null;
                    // It changes what others read and write under this monitor, and takes none itself.
                    synchronized (StoreManager.class) {
                        if (!isOver()) {
                            removeEntryOfThisProcess();
                            StoreManager.shutdown();
                        }
                    }
                }
                return null;
            });
        }

        /**
         * Narayana has written how recovery reaches this process. Its shutdown hook removes that from the store which
         * it has then, and each life of a process would leave an entry in this one. A failure is logged by Narayana;
         * its recovery removes the entry after its expiry time.
         */
        private void removeEntryOfThisProcess() {
            TallystickObjectStore messages = adaptors.get(Role.MESSAGES);
            boolean isWritten =
                    arjPropertyManager.getCoordinatorEnvironmentBean().isTransactionStatusManagerEnable();
            if (isWritten && messages != null && messages.openStore().isPresent()) {
                TransactionStatusManagerItem.removeThis(Utility.getProcessUid());
            }
        }
    }
}
