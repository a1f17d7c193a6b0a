package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.tallystick.narayana.Installations.Installation;
import io.tallystick.narayana.doubt.InDoubtLook;
import io.tallystick.narayana.pool.NodeChoice;
import io.tallystick.narayana.pool.PoolWatch;
import io.tallystick.narayana.settle.InDoubtSettling;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * The stores of Narayana in this process, installed by a program or a framework in one call. No class name is
 * configured.
 *
 * <pre>{@code
 * NarayanaStores stores = NarayanaStores.install(StoreConfiguration.fromEnvironment());
 * RecoveryManager.manager();
 * ...
 * RecoveryManager.manager().terminate();
 * stores.close();
 * }</pre>
 *
 * <p><b>When.</b> Install after Narayana's properties are set, above all its {@code objectStoreDir} and {@code
 * nodeIdentifier}. Install before its recovery manager starts and before the first transaction begins. Close after
 * recovery and the last transaction have ended. A call that comes too late is refused, and the message names the store
 * that came first.
 *
 * <p><b>Several application contexts in one process.</b> Narayana has one store for the whole process. A second
 * call with the same settings shares the store that is there; the last handle that is closed closes it. A second call
 * with other settings is refused. After the last handle is closed a new call installs a new store, also in another
 * directory. Narayana's recovery keeps the first adaptor of the process for ever; that adaptor works on the store that
 * is installed at the time.
 *
 * <p>A refusal is logged as well as thrown, because frameworks drop the exception in places. All methods may be
 * called by any number of threads.
 */
public final class NarayanaStores implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(TallystickObjectStore.class.getName());
    private static final ToldOnce TOLD = new ToldOnce();

    private final Installation installation;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private NarayanaStores(Installation installation) {
        this.installation = installation;
    }

    /** What Narayana keeps in a store. */
    public enum Role {
        /** The transaction log, which recovery reads. */
        LOG,
        /**
         * The states of objects. Leave it out where Narayana's STM is used, which accepts only its own {@code
         * TwoPhaseVolatileStore} here.
         */
        STATES,
        /** What processes tell each other. Recovery reads it through the log, so the two belong together. */
        MESSAGES
    }

    /**
     * Opens the store that the configuration describes and installs it in all roles.
     *
     * @see #install(StoreConfiguration, Set)
     */
    public static NarayanaStores install(StoreConfiguration configuration) {
        return install(configuration, EnumSet.allOf(Role.class));
    }

    /**
     * Opens the store that the configuration describes and installs it in these roles. In a role that is left out
     * Narayana uses what it would use without this call.
     *
     * <p>Two settings have a default that comes from Narayana. Without {@code tallystick.directory} a store that
     * needs one lives in the sub-directory {@code TallystickObjectStore} of {@code objectStoreDir}. Without {@code
     * tallystick.node-id} the store belongs to the node {@code nodeIdentifier}, unless that is a framework's default.
     * A process that has such a default on a store that is not new is warned.
     *
     * <p>A log in a database is found by its node alone. So with {@code tallystick.store=postgresql} the node must be
     * {@code nodeIdentifier} of at most 28 bytes, and not a framework's default.
     *
     * <p>With {@code tallystick.node-pool} this call takes a node of the pool, and sets {@code nodeIdentifier} and
     * {@code xaRecoveryNodes} of Narayana. It may wait for a lease; docs/node-pool.md has the rules.
     *
     * <p>In the role {@link Role#LOG} it is not opened where one of Narayana's own logs holds transactions that the
     * store lacks; see {@code tallystick.on-old-log}.
     *
     * @throws InstallationException Narayana has a store already, this process has installed one with other settings,
     *     an old log holds transactions that the store lacks, or a pool has no node for this process
     * @throws io.tallystick.store.StoreException the store cannot be opened
     * @throws IllegalArgumentException no role is given, or the configuration does not suffice, naming the key
     */
    public static NarayanaStores install(StoreConfiguration configuration, Set<Role> roles) {
        return installed(configuration, roles, Refusals.ofStores());
    }

    /**
     * As {@link #install(StoreConfiguration, Set)}, for a framework that prints the exception itself. A refusal is
     * logged at level debug alone, so that a person reads the reason once.
     *
     * @throws InstallationException as there
     * @throws io.tallystick.store.StoreException the store cannot be opened
     * @throws IllegalArgumentException no role is given, or the configuration does not suffice, naming the key
     */
    public static NarayanaStores installQuietly(StoreConfiguration configuration, Set<Role> roles) {
        return installed(configuration, roles, Refusals.printedByCaller());
    }

    private static NarayanaStores installed(StoreConfiguration configuration, Set<Role> roles, Refusals refusals) {
        Objects.requireNonNull(configuration, "configuration");
        Set<Role> checked = checked(roles);
        boolean isOfPool = configuration.isSet(StoreOption.NODE_POOL) && !configuration.isAdopting();
        return refusals.tellingOf(
                () -> isOfPool ? ofPool(configuration, checked, refusals) : ofNode(configuration, checked, refusals));
    }

    private static NarayanaStores ofNode(StoreConfiguration configuration, Set<Role> roles, Refusals refusals) {
        StoreConfiguration complete = completed(configuration);
        boolean isNew = OldLogGuard.ofThisProcess().isNew(complete);
        NarayanaStores stores = new NarayanaStores(Installations.ofThisProcess().install(complete, roles, refusals));
        if (!isNew && NarayanaNode.chosen().isEmpty()) {
            warnOfNode(stores.store());
        }
        return stores;
    }

    private static NarayanaStores ofPool(StoreConfiguration configuration, Set<Role> roles, Refusals refusals) {
        Installations installations = Installations.ofThisProcess();
        return installations.exclusively(() -> {
            Optional<Optional<StoreConfiguration>> there = installations.configured();
            if (there.isPresent()) { // it has a node already, and another one would be none of this process'
                there.get()
                        .filter(installed ->
                                installed.find(StoreOption.NODE_POOL).equals(configuration.find(StoreOption.NODE_POOL)))
                        .flatMap(installed -> installed.find(StoreOption.NODE_ID))
                        .ifPresent(NodeChoice::keep);
                return ofNode(withNodeOf(there.get(), configuration), roles, refusals);
            }
            NodeChoice choice = NodeChoice.of(configuration, NarayanaNode.chosen(), InstallationException::new);
            NarayanaStores stores = choice.take(node -> ofNode(node, roles, Refusals.printedByCaller()));
            stores.installation.endWith(PoolWatch.start(choice.pool(), configuration)::close);
            return stores;
        });
    }

    /** The settings with what the pool has given to the store that is installed. */
    private static StoreConfiguration withNodeOf(Optional<StoreConfiguration> there, StoreConfiguration wanted) {
        StoreConfiguration.Builder builder = wanted.toBuilder();
        there.flatMap(installed -> installed.find(StoreOption.NODE_ID))
                .or(NarayanaNode::identifier)
                .ifPresent(node -> builder.set(StoreOption.NODE_ID, node));
        there.filter(installed -> installed.isSet(StoreOption.TAKEOVER))
                .ifPresent(installed -> builder.set(StoreOption.TAKEOVER, installed.get(StoreOption.TAKEOVER)));
        return builder.build();
    }

    /**
     * Installs an open store in all roles.
     *
     * @see #install(ObjectStore, Set)
     */
    public static NarayanaStores install(ObjectStore store) {
        return install(store, EnumSet.allOf(Role.class));
    }

    /**
     * Installs an open store in these roles. From now on it belongs to the handle, which closes it. A framework in
     * which several application contexts may run gives a configuration instead: two of them cannot open one directory,
     * but they can share what {@link #install(StoreConfiguration)} opens. This call does not look for an old log:
     * the program has opened the store. How removals are forced is taken from system properties and the environment.
     *
     * @throws InstallationException Narayana has a store already, or this process has installed another one; the store
     *     stays open
     * @throws IllegalArgumentException no role is given
     */
    public static NarayanaStores install(ObjectStore store, Set<Role> roles) {
        Objects.requireNonNull(store, "store");
        Set<Role> checked = checked(roles);
        Refusals refusals = Refusals.ofStores();
        return refusals.tellingOf(
                () -> new NarayanaStores(Installations.ofThisProcess().install(store, checked, refusals)));
    }

    /**
     * Takes Narayana's places now for a store that is opened later, by its first use or by {@link #store}. For a host
     * that knows a moment before Narayana's first use, and not whether Narayana's properties are set at that moment.
     * They must be set when the store is opened: the settings are asked for then, and get the defaults of {@link
     * #install(StoreConfiguration, Set)}. While the store cannot be opened, every use fails with the reason, tries
     * again, and no other store is used instead.
     *
     * @param settings what the store is opened with, asked for at each opening; the answer must be the same
     * @throws InstallationException Narayana has a store already, or this process has installed one
     */
    public static NarayanaStores installLater(Supplier<StoreConfiguration> settings) {
        Objects.requireNonNull(settings, "settings");
        return Refusals.ofStores()
                .tellingOf(() -> new NarayanaStores(Installations.ofThisProcess()
                        .installLater(() -> completed(settings.get()), EnumSet.allOf(Role.class))));
    }

    private static StoreConfiguration completed(StoreConfiguration configuration) {
        return NarayanaNode.checked(NarayanaNode.applyTo(StoreSettings.withDirectory(
                configuration, BeanPopulator.getDefaultInstance(ObjectStoreEnvironmentBean.class))));
    }

    private static Set<Role> checked(Set<Role> roles) {
        if (roles.isEmpty()) {
            throw new IllegalArgumentException("no role is given; name at least " + Role.LOG);
        }
        return EnumSet.copyOf(roles);
    }

    private static void warnOfNode(ObjectStore store) {
        String text = "TALLY0419 Narayana's node identifier is "
                + NarayanaNode.identifier()
                        .map(node -> "'" + node + "', a default")
                        .orElse("not set")
                + ", and the store is not new: " + store.description()
                + "; two processes with one identifier roll back each other's branches. Give each process an identifier"
                + " of its own that it keeps (CoreEnvironmentBean.nodeIdentifier, narayana.node-identifier,"
                + " quarkus.transaction-manager.node-name), and change it only while no transaction is in doubt";
        if (TOLD.isNew(text)) {
            LOG.log(System.Logger.Level.WARNING, text);
        }
    }

    /**
     * The store, to read its description and statistics. Closed when the last handle is. Do not close it: others may
     * share it. So a framework that closes its beans by itself must not do that with this one ({@code destroyMethod =
     * ""} in Spring).
     */
    public ObjectStore store() {
        return installation.store();
    }

    /** The roles in which the store is installed. */
    public Set<Role> roles() {
        return installation.roles();
    }

    /**
     * Whether another open handle of this process has the same store. A framework asks before it stops what all
     * handles need, such as recovery.
     */
    public boolean isShared() {
        return installation.isShared();
    }

    /** How the log is now, for a health check. Throws nothing once the store is open. */
    public NarayanaHealth health() {
        return NarayanaHealth.of(store());
    }

    /** The transactions that are in doubt in the log, for metrics, endpoints and people. */
    public InDoubtLook inDoubt() {
        return InDoubtLook.of(store());
    }

    /**
     * The settling of transactions that are in doubt, in this process; empty unless {@code
     * tallystick.indoubt.settle=true}.
     */
    public Optional<InDoubtSettling> settling() {
        return InDoubtSettling.switchedOn(store());
    }

    /**
     * Gives the store back. The last handle removes the entry of this process, by which recovery would reach it, from
     * the store. Then it calls {@code StoreManager.shutdown()}, which closes the store and those that Narayana has made
     * for other roles. Afterwards a store can be installed again. A second call does nothing, and so does the first one
     * after {@code StoreManager.shutdown()}.
     */
    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            installation.release();
        }
    }
}
