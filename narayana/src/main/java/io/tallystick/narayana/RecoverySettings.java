package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.RecoveryEnvironmentBean;
import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.ats.arjuna.common.recoveryPropertyManager;
import com.arjuna.ats.arjuna.recovery.RecoveryModule;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.common.JTAEnvironmentBean;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;

/** Narayana's settings about the rollback of prepared branches that have no log record. */
final class RecoverySettings {
    // Narayana's core can be used without its JTA classes; then nothing is an XA branch.
    private static final boolean HAS_JTA = hasJta();
    private static final String EVERY_NODE = "*";

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

    /** {@code JTAEnvironmentBean.orphanSafetyInterval}. */
    static Duration orphanSafety() {
        return HAS_JTA ? Duration.ofMillis(Math.max(0, Jta.bean().getOrphanSafetyInterval())) : Duration.ZERO;
    }

    /**
     * The orphan safety interval; a backoff period for each of the two looks after it, those of the look before fall
     * into the interval; and one for each look that may find Narayana's own thread looking: one of them, or all three
     * where the period between that thread's looks is short.
     */
    static Duration leastBudget() {
        RecoveryEnvironmentBean bean = recoveryPropertyManager.getRecoveryEnvironmentBean();
        Duration backoff = Duration.ofSeconds(bean.getRecoveryBackoffPeriod());
        Duration interval = orphanSafety().compareTo(backoff) > 0 ? orphanSafety() : backoff;
        Duration alone = interval.plus(backoff.multipliedBy(DrainProof.LOOKS));
        boolean meetsOften =
                Duration.ofSeconds(bean.getPeriodicRecoveryPeriod()).compareTo(alone) < 0;
        return alone.plus(backoff.multipliedBy(meetsOften ? DrainProof.LOOKS + 1 : 1));
    }

    /** Why recovery with these modules would leave a branch without a log record alone; empty if it rolls it back. */
    static Optional<String> gap(Collection<RecoveryModule> modules) {
        return HAS_JTA ? Jta.gap(modules) : Optional.empty();
    }

    /** The part that needs the JTA classes. */
    private static final class Jta {
        private static JTAEnvironmentBean bean() {
            return jtaPropertyManager.getJTAEnvironmentBean();
        }

        private static Optional<String> gap(Collection<RecoveryModule> modules) {
            if (modules.stream().noneMatch(XARecoveryModule.class::isInstance)) {
                return Optional.of("recovery has no XARecoveryModule, so nobody asks resources for prepared branches");
            }
            String node = arjPropertyManager.getCoreEnvironmentBean().getNodeIdentifier();
            boolean isOurs = bean().getXaRecoveryNodes().stream()
                    .anyMatch(named -> named.equals(node) || named.equals(EVERY_NODE));
            return isOurs && !bean().getXaResourceOrphanFilters().isEmpty()
                    ? Optional.empty()
                    : Optional.of("recovery leaves prepared branches without a record alone:"
                            + " JTAEnvironmentBean.xaRecoveryNodes="
                            + bean().getXaRecoveryNodes() + " does not name this node, '" + node
                            + "', or there is no orphan filter");
        }
    }
}
