package io.tallystick.narayana.recover;

import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import io.tallystick.narayana.drain.RecoveryModules;
import io.tallystick.narayana.drain.RecoverySettings;
import io.tallystick.narayana.logs.NarayanaRecords;
import io.tallystick.store.StoreException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * This process' recovery. Before it rolls back a branch, it asks our filter.
 *
 * <p><b>Where the filter is put.</b> Frameworks and users name the filters of recovery before or after our store is
 * opened, and a list that is set replaces the one before. So the filter is put into the module itself, when a scan
 * begins: the first thing that a scan does is to list records through our adaptor, whoever has started it, and it
 * judges branches in its second pass.
 */
public final class OwnRecovery {
    // What the recovery of transactions lists first, and what the recovery of resources does.
    private static final Set<String> LISTED_BY_A_SCAN = Set.of(
            NarayanaRecords.ACTIONS + "/TwoPhaseCoordinator/AtomicAction",
            "/StateManager/AbstractRecord/XAResourceRecord");

    private OwnRecovery() {}

    /** Whether a scan of recovery lists this type when it begins. */
    public static boolean isListedByAScan(String type) {
        return LISTED_BY_A_SCAN.contains(type);
    }

    /**
     * A scan begins, or something else lists such a type: a filter of Narayana's does so for each branch.
     *
     * @param listed the records of the log in which it lists
     * @param ofRecovery those of the log that recovery has, asked for at each vote; empty if it is no log of ours.
     *     If it is none now, the store that is listed has another role, and no filter is put
     */
    public static void scanBegins(RecordsAside listed, Supplier<Optional<RecordsAside>> ofRecovery) {
        listed.scanBegins();
        if (RecoverySettings.hasXaBranches()) {
            Filter.put(ofRecovery);
        }
    }

    /** A class of its own, so that Narayana's JTA classes are loaded only if they are there. */
    private static final class Filter {
        // Narayana puts a filter in once only.
        private static final AtomicReference<RecordedBranchFilter> OF_THIS_PROCESS = new AtomicReference<>();

        private Filter() {}

        static void put(Supplier<Optional<RecordsAside>> ofRecovery) {
            List<XARecoveryModule> modules = RecoveryModules.present().stream()
                    .filter(XARecoveryModule.class::isInstance)
                    .map(XARecoveryModule.class::cast)
                    .toList();
            if (!modules.isEmpty() && isOurs(ofRecovery)) {
                OF_THIS_PROCESS.compareAndSet(null, new RecordedBranchFilter(ofRecovery));
                RecordedBranchFilter filter = OF_THIS_PROCESS.get();
                modules.forEach(module -> FilterOrder.putFirst(module, filter));
            }
        }

        private static boolean isOurs(Supplier<Optional<RecordsAside>> ofRecovery) {
            try {
                return ofRecovery.get().isPresent();
            } catch (StoreException | IllegalArgumentException unusable) {
                return true;
            }
        }
    }
}
