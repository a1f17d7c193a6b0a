package io.tallystick.narayana;

import io.tallystick.narayana.doubt.InDoubtLook;
import io.tallystick.narayana.doubt.InDoubtManagement;
import io.tallystick.narayana.settle.SettlingManagement;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The stores that the adaptors of this process have open: one per directory, closed when the last adaptor gives it
 * back.
 *
 * <p><b>Why this one is static.</b> Narayana has three roles for a store (the log, the states of objects, and what
 * processes tell each other), makes an adaptor for each by reflection, at different times, and hands them nothing in
 * common but a bean per role. A directory has one owner. So the three must meet in something that belongs to the
 * process, as Narayana's own {@code StoreManager}, whose lifetime this follows, belongs to it. Nothing else in this
 * module is static and changes. Two copies of this class, loaded by two class loaders, do not share: the second to
 * ask for a directory is told that it is in use.
 */
final class OpenStores {
    private static final OpenStores OF_THIS_PROCESS = new OpenStores(OpenStores::openGuarded);

    private final Function<StoreConfiguration, ObjectStore> opener;
    // Guards the map and what is in it. Held while a store opens or closes: nobody else may open it meanwhile.
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Object, Shared> shared = new HashMap<>();
    // By their directory: stores that a program has opened itself. Weak, because a program may forget to stop an
    // adaptor.
    private final Map<Object, WeakReference<ObjectStore>> lent = new HashMap<>();

    OpenStores(Function<StoreConfiguration, ObjectStore> opener) {
        this.opener = opener;
    }

    private static ObjectStore openGuarded(StoreConfiguration configuration) {
        return OldLogGuard.ofThisProcess().open(configuration, ObjectStores::open);
    }

    static OpenStores ofThisProcess() {
        return OF_THIS_PROCESS;
    }

    /**
     * Opens the store that the configuration describes, or joins those who have it open.
     *
     * @throws IllegalArgumentException it is open with another configuration, naming the key in which they differ
     * @throws io.tallystick.store.StoreException it cannot be opened
     */
    Lease acquire(StoreConfiguration configuration) {
        return acquire(configuration, opener);
    }

    /** As {@link #acquire(StoreConfiguration)}, with another way to open a store. */
    Lease acquire(StoreConfiguration configuration, Function<StoreConfiguration, ObjectStore> opener) {
        Object place = placeOf(configuration);
        lock.lock();
        try {
            Shared found = shared.get(place);
            if (found == null) {
                found = new Shared(configuration, opener.apply(configuration));
                shared.put(place, found);
            } else {
                checkSame(place, found.configuration, configuration);
            }
            found.leases++;
            return new Lease(place, found);
        } finally {
            lock.unlock();
        }
    }

    /**
     * The store that another adaptor has open where this configuration would open one. Its owners close it when they
     * like.
     */
    Optional<ObjectStore> find(StoreConfiguration configuration) {
        return findAt(placeOf(configuration));
    }

    /** The store that another adaptor has open in this place. */
    Optional<ObjectStore> findAt(Object place) {
        return locked(() -> {
            Shared found = shared.get(place);
            WeakReference<ObjectStore> reference = lent.get(place);
            return found != null
                    ? Optional.of(found.store)
                    : Optional.ofNullable(reference).map(WeakReference::get);
        });
    }

    /** Lets others find a store that was opened elsewhere, in the place that is its own. */
    void lend(Object place, ObjectStore store) {
        locked(() -> lent.put(place, new WeakReference<>(store)));
    }

    /** Lets nobody find this store there any more. */
    void takeBack(Object place, ObjectStore store) {
        locked(() -> {
            WeakReference<ObjectStore> reference = lent.get(place);
            return reference != null && reference.refersTo(store) ? lent.remove(place) : null;
        });
    }

    /** The real directory of a store that is open; empty for one that has none. */
    static Optional<Object> placeOf(ObjectStore store) {
        return store.description()
                .directory()
                .map(directory -> realPath(directory.toAbsolutePath().normalize()));
    }

    private <T> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    // The real directory; a store without one, as in memory, is one per process and kind, like the roles it serves.
    private static Object placeOf(StoreConfiguration configuration) {
        Optional<Path> directory = configuration.find(StoreOption.DIRECTORY);
        return directory.isPresent()
                ? realPath(directory.get().toAbsolutePath().normalize())
                : configuration.get(StoreOption.STORE);
    }

    private static Path realPath(Path path) {
        try {
            return path.toRealPath();
        } catch (NoSuchFileException notYetMade) {
            Path parent = path.getParent();
            return parent == null ? path : realPath(parent).resolve(path.getFileName());
        } catch (IOException unreadable) {
            // Opening it will fail and tell why; until then any name for it will do.
            return path;
        }
    }

    private static void checkSame(Object place, StoreConfiguration open, StoreConfiguration wanted) {
        List<String> differences = differences(
                open, wanted, option -> option != StoreOption.DIRECTORY && option != StoreOption.REMOVE_DURABILITY);
        if (!differences.isEmpty()) {
            throw new IllegalArgumentException("the store at " + place
                    + " is open in this process with another configuration: " + String.join(", ", differences)
                    + "; give all roles that share a directory the same settings, most simply as tallystick.* system"
                    + " properties, or give each role a directory of its own");
        }
    }

    /** Each key in which two configurations differ, with both values; two ways to one directory are the same. */
    static List<String> differences(StoreConfiguration one, StoreConfiguration other) {
        boolean isOnePlace = isOnePlace(one, other);
        return differences(one, other, option -> option != StoreOption.DIRECTORY || !isOnePlace);
    }

    /** Whether both configurations lead to one directory, or to one kind of store without a directory. */
    static boolean isOnePlace(StoreConfiguration one, StoreConfiguration other) {
        return placeOf(one).equals(placeOf(other));
    }

    private static List<String> differences(
            StoreConfiguration one, StoreConfiguration other, Predicate<StoreOption<?>> counts) {
        return StoreOption.all().stream()
                .filter(counts)
                .filter(option -> !one.find(option).equals(other.find(option)))
                .map(option -> difference(option, one.find(option), other.find(option)))
                .toList();
    }

    private static String difference(StoreOption<?> option, Optional<?> one, Optional<?> other) {
        String first = one.map(option::shown).orElse("nothing");
        String second = other.map(option::shown).orElse("nothing");
        return first.equals(second)
                ? option.key() + "=" + first + " in a part that may be secret"
                : option.key() + "=" + first + " against " + second;
    }

    private static Runnable managed(ObjectStore store, StoreConfiguration configuration) {
        StoreSource.settle(store, configuration);
        Runnable endDrain = DrainManagement.register(store);
        Runnable endInDoubt = InDoubtManagement.register(store, InDoubtLook.of(store));
        Runnable endSettling = SettlingManagement.register(store);
        return () -> {
            endDrain.run();
            endInDoubt.run();
            endSettling.run();
        };
    }

    private static final class Shared {
        private final StoreConfiguration configuration;
        private final ObjectStore store;
        private final Runnable endManagement;
        private int leases;

        Shared(StoreConfiguration configuration, ObjectStore store) {
            this.configuration = configuration;
            this.store = store;
            this.endManagement = configuration.get(StoreOption.JMX) ? managed(store, configuration) : () -> {};
        }
    }

    /** One adaptor's share of an open store. */
    final class Lease {
        private final Object place;
        private final Shared of;
        private boolean released;

        private Lease(Object place, Shared of) {
            this.place = place;
            this.of = of;
        }

        ObjectStore store() {
            return of.store;
        }

        /**
         * Gives the share back; the last one closes the store. A second call does nothing.
         *
         * @throws io.tallystick.store.StoreException as {@link ObjectStore#close}
         */
        void release() {
            lock.lock();
            try {
                if (released) {
                    return;
                }
                released = true;
                of.leases--;
                if (of.leases == 0) {
                    shared.remove(place);
                    of.endManagement.run();
                    of.store.close();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
