package io.tallystick.narayana;

import io.tallystick.narayana.doubt.InDoubtLook;
import io.tallystick.narayana.logs.NarayanaRecords;
import io.tallystick.narayana.recover.RecordsAside;
import io.tallystick.narayana.settle.InDoubtSettling;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/** Where an adaptor has its store from. Called under the adaptor's lock. */
interface StoreSource {
    /**
     * Opens the store.
     *
     * @throws io.tallystick.store.StoreException it cannot be opened
     * @throws IllegalArgumentException the configuration does not suffice, naming the key
     */
    Opened open();

    /**
     * The store that other adaptors have open for the same directory; their stores may be closed while this one is
     * used.
     */
    Optional<Opened> join();

    /** Closes a store that was open before {@link #open} was called. Does nothing where it is closed. */
    void close();

    /** A store that is opened with others who have its directory. The settings are read at each opening. */
    static StoreSource configured(OpenStores stores, Supplier<StoreConfiguration> settings) {
        return configured(settings, stores, stores::acquire);
    }

    /** The same for an adaptor in these roles. */
    static StoreSource configured(
            OpenStores stores, Supplier<StoreConfiguration> settings, Set<NarayanaStores.Role> roles) {
        return configured(
                settings,
                stores,
                configuration -> stores.acquire(
                        configuration, each -> OldLogGuard.ofThisProcess(roles).open(each, ObjectStores::open)));
    }

    private static StoreSource configured(
            Supplier<StoreConfiguration> settings,
            OpenStores stores,
            Function<StoreConfiguration, OpenStores.Lease> opener) {
        return new StoreSource() {
            // What the last opening used: a stopped adaptor keeps to its directory, whatever the settings say later.
            private StoreConfiguration last;

            @Override
            public Opened open() {
                StoreConfiguration configuration = settings.get();
                OpenStores.Lease lease = opener.apply(configuration);
                last = configuration;
                settle(lease.store(), configuration);
                return new Opened(
                        lease.store(), removals(configuration), InDoubtLook.of(lease.store()), lease::release);
            }

            @Override
            public Optional<Opened> join() {
                StoreConfiguration configuration = last == null ? settings.get() : last;
                return stores.find(configuration).map(store -> visiting(store, removals(configuration)));
            }

            /** Nothing: this source takes its store in {@link #open}. */
            @Override
            public void close() {}
        };
    }

    /**
     * A store that is open, and is closed when the adaptor stops. Stopped adaptors of its directory find it while the
     * adaptor uses it.
     */
    static StoreSource given(OpenStores stores, ObjectStore store) {
        Optional<Object> place = OpenStores.placeOf(store);
        return new StoreSource() {
            @Override
            public Opened open() {
                place.ifPresent(own -> stores.lend(own, store));
                StoreConfiguration configuration = StoreConfiguration.fromEnvironment();
                settle(store, configuration);
                return new Opened(store, removals(configuration), InDoubtLook.of(store), this::close);
            }

            @Override
            public Optional<Opened> join() {
                return place.flatMap(stores::findAt)
                        .map(other -> visiting(other, removals(StoreConfiguration.fromEnvironment())));
            }

            @Override
            public void close() {
                place.ifPresent(own -> stores.takeBack(own, store));
                store.close();
            }
        };
    }

    /**
     * A source that, where its adaptor is stopped, works on the store of another one first.
     *
     * @param successor the other store, while there is one
     */
    static StoreSource withSuccessor(StoreSource own, Supplier<Optional<Opened>> successor) {
        return new StoreSource() {
            @Override
            public Opened open() {
                return own.open();
            }

            @Override
            public Optional<Opened> join() {
                return successor.get().or(own::join);
            }

            @Override
            public void close() {
                own.close();
            }
        };
    }

    /** What is configured about settling transactions in doubt. */
    static void settle(ObjectStore store, StoreConfiguration configuration) {
        Optional<Path> keepIn = configuration.find(StoreOption.INDOUBT_KEEP_IN);
        keepIn.ifPresent(directory -> RecordsAside.of(store).alsoIn(directory));
        if (configuration.get(StoreOption.INDOUBT_SETTLE)) {
            InDoubtSettling.switchOn(store, keepIn);
        }
    }

    /** How removals are forced. */
    static Removals removals(StoreConfiguration configuration) {
        Durability configured = configuration.get(StoreOption.REMOVE_DURABILITY);
        return configuration.isSet(StoreOption.REMOVE_DURABILITY)
                ? key -> configured
                : key -> NarayanaRecords.isRepeatable(key.type()) ? configured : Durability.FORCED;
    }

    /** A store that its owners may close while it is used. */
    static Opened visiting(ObjectStore store, Removals removals) {
        return new Opened(store, removals, InDoubtLook.of(store), () -> {});
    }

    /**
     * An open store for an adaptor.
     *
     * @param store the store
     * @param removals how removals are forced
     * @param inDoubt what is in doubt in it; it hears of recovery
     * @param release gives it back
     */
    record Opened(ObjectStore store, Removals removals, InDoubtLook inDoubt, Runnable release) {}

    /** How the removal of a record is forced: as configured; where nothing is, as its participants need it. */
    interface Removals {
        Durability of(StateKey key);
    }
}
