package io.tallystick.narayana.recover;

import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.recovery.XAResourceOrphanFilter;
import java.lang.reflect.Field;
import java.util.List;

/**
 * Puts a filter in front of the others of a recovery module. Its vote would count in any place, but a vote for leaving
 * a branch alone ends the round, and a filter that is not asked tells nobody of the branch. Example: a process that has
 * the process id of the one that began the transaction, as in a container. Narayana's
 * JTAActionStatusServiceXAResourceOrphanFilter (7.3.4) finds the record where it was given up, and takes the
 * transaction for one of this process. A recovery would then be proven, with a branch that is prepared.
 */
final class FilterOrder {
    private FilterOrder() {}

    /** The module has the filter from now on, as the first one if that can be done. */
    static void putFirst(XARecoveryModule module, XAResourceOrphanFilter filter) {
        module.addXAResourceOrphanFilter(filter);
        List<XAResourceOrphanFilter> filters = of(module);
        // Whoever lists records comes here, and must not wait for a pass that waits for a resource.
        if (isFirst(filters, filter)) {
            return;
        }
        synchronized (module) { // its passes hold it, and go through the list
            synchronized (filters) { // so does whoever changes the list
                if (filters.get(0) != filter) {
                    filters.add(0, filter); // first in, and then out where it was: it never lacks
                    int former = filters.lastIndexOf(filter);
                    if (former > 0) {
                        filters.remove(former);
                    }
                }
            }
        }
    }

    private static boolean isFirst(List<XAResourceOrphanFilter> filters, XAResourceOrphanFilter filter) {
        synchronized (filters) {
            return filters.isEmpty() || filters.get(0) == filter;
        }
    }

    /** Its own list; a list without any where only Narayana can get at it. */
    @SuppressWarnings("unchecked")
    static List<XAResourceOrphanFilter> of(XARecoveryModule module) {
        try {
            Field filters = XARecoveryModule.class.getDeclaredField("_xaResourceOrphanFilters");
            filters.setAccessible(true);
            return (List<XAResourceOrphanFilter>) filters.get(module);
        } catch (ReflectiveOperationException | RuntimeException unreadable) {
            return List.of();
        }
    }
}
