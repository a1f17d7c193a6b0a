package io.tallystick.narayana.drain;

import com.arjuna.ats.arjuna.common.RecoveryEnvironmentBean;
import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.ats.arjuna.common.recoveryPropertyManager;
import com.arjuna.ats.arjuna.recovery.RecoveryModule;
import com.arjuna.ats.internal.jta.recovery.arjunacore.JTANodeNameXAResourceOrphanFilter;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.common.JTAEnvironmentBean;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import com.arjuna.ats.jta.recovery.XAResourceOrphanFilter;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Narayana's settings about the rollback of prepared branches that have no log record. */
public final class RecoverySettings {
    // Narayana's core can be used without its JTA classes; then there are no XA branches.
    private static final boolean HAS_JTA = hasJta();
    private static final String EVERY_NODE = "*";
    /** Where Narayana has the recovery of XA branches of JTS. */
    private static final String JTS = "com.arjuna.ats.internal.jta.recovery.jts.";
    /** Narayana's own classes; none of its orphan filters knows the format of JTS (7.3.4; JBTM-2124). */
    private static final String NARAYANA = "com.arjuna.";

    private RecoverySettings() {}

    private static boolean hasJta() {
        try {
            Class.forName(
                    "com.arjuna.ats.jta.common.jtaPropertyManager", false, RecoverySettings.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException coreAlone) {
            return false;
        }
    }

    /** Whether Narayana's JTA classes are there; without them there are no XA branches. */
    public static boolean hasXaBranches() {
        return HAS_JTA;
    }

    /** {@code JTAEnvironmentBean.orphanSafetyInterval}. */
    public static Duration orphanSafety() {
        return HAS_JTA ? Duration.ofMillis(Math.max(0, Jta.bean().getOrphanSafetyInterval())) : Duration.ZERO;
    }

    /** {@code JTAEnvironmentBean.xaRecoveryNodes}: the nodes whose branches recovery judges; empty without JTA. */
    public static List<String> recoveryNodes() {
        List<String> nodes = HAS_JTA ? Jta.bean().getXaRecoveryNodes() : List.of();
        return nodes == null ? List.of() : List.copyOf(nodes);
    }

    /**
     * The least time of a drain. Formula: {@code alone = max(interval, backoff) + 2 x backoff},
     * {@code budget = alone + backoff}; the last {@code backoff} counts three times if the recovery period is less than
     * {@code alone}. Example in seconds: interval 20, backoff 10, period 120 give alone 40 and budget 50. The last part
     * is the wait for scans of Narayana's own thread.
     */
    public static Duration leastBudget() {
        RecoveryEnvironmentBean bean = recoveryPropertyManager.getRecoveryEnvironmentBean();
        Duration backoff = Duration.ofSeconds(bean.getRecoveryBackoffPeriod());
        Duration interval = orphanSafety().compareTo(backoff) > 0 ? orphanSafety() : backoff;
        Duration alone = interval.plus(backoff.multipliedBy(DrainProof.SCANS));
        boolean meetsOften =
                Duration.ofSeconds(bean.getPeriodicRecoveryPeriod()).compareTo(alone) < 0;
        return alone.plus(backoff.multipliedBy(meetsOften ? DrainProof.SCANS + 1 : 1));
    }

    /** Why recovery with these modules would not roll back a branch without a log record; empty if it would. */
    public static Optional<String> gap(Collection<RecoveryModule> modules) {
        return HAS_JTA ? Jta.gap(modules) : Optional.empty();
    }

    /** JTS gives its branches a format of their own, which Narayana's filters leave alone. */
    private static Optional<String> gapOfJts(Collection<?> modules, Collection<?> filters) {
        boolean isServed = modules.stream().noneMatch(each -> isOf(JTS, each))
                || filters.stream().anyMatch(each -> !isOf(NARAYANA, each));
        return isServed
                ? Optional.empty()
                : Optional.of("recovery leaves prepared branches of JTS without a record alone: Narayana has no orphan"
                        + " filter for them. Look at the resources' own lists of prepared transactions");
    }

    private static boolean isOf(String packages, Object object) {
        return object.getClass().getName().startsWith(packages);
    }

    /** The part that needs the JTA classes. */
    private static final class Jta {

        private static JTAEnvironmentBean bean() {
            return jtaPropertyManager.getJTAEnvironmentBean();
        }

        private static Optional<String> gap(Collection<RecoveryModule> modules) {
            if (modules.stream().noneMatch(XARecoveryModule.class::isInstance)) {
                return Optional.of(
                        "recovery has no XARecoveryModule, so it does not ask resources for prepared branches");
            }
            Optional<String> ofJts = gapOfJts(modules, bean().getXaResourceOrphanFilters());
            if (ofJts.isPresent()) {
                return ofJts;
            }
            String node = arjPropertyManager.getCoreEnvironmentBean().getNodeIdentifier();
            boolean isOurs = bean().getXaRecoveryNodes().stream()
                    .anyMatch(named -> named.equals(node) || named.equals(EVERY_NODE));
            return isOurs && bean().getXaResourceOrphanFilters().stream().anyMatch(Jta::mayRollBack)
                    ? Optional.empty()
                    : Optional.of("recovery leaves prepared branches without a record alone:"
                            + " JTAEnvironmentBean.xaRecoveryNodes="
                            + bean().getXaRecoveryNodes() + " does not name this node, '" + node
                            + "', or no orphan filter rolls back: name "
                            + JTANodeNameXAResourceOrphanFilter.class.getName()
                            + " in JTAEnvironmentBean.xaResourceOrphanFilterClassNames");
        }

        /** Of Narayana's filters one alone votes for the rollback of a branch of this node (7.3.4). */
        private static boolean mayRollBack(XAResourceOrphanFilter filter) {
            return filter instanceof JTANodeNameXAResourceOrphanFilter || !isOf(NARAYANA, filter);
        }
    }
}
