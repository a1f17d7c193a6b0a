package io.tallystick.narayana.drain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RecoverySettingsTest {
    private static final String JTA = "com.arjuna.ats.internal.jta.recovery.arjunacore.";
    private static final String JTS = "com.arjuna.ats.internal.jta.recovery.jts.";

    @Test
    void withoutAFilterOfJtsItsBranchesAreNotProvenToBeGone() {
        List<String> modules = List.of(JTA + "AtomicActionRecoveryModule", JTS + "XARecoveryModule");
        List<String> filtersOfJta = List.of(JTA + "JTANodeNameXAResourceOrphanFilter");

        assertThat(RecoverySettings.gapOfJts(modules, filtersOfJta))
                .hasValueSatisfying(gap -> assertThat(gap).contains("xaResourceOrphanFilters"));
        assertThat(RecoverySettings.gapOfJts(modules, List.of())).isPresent();
        assertThat(RecoverySettings.gapOfJts(modules, List.of(JTS + "JTSNodeNameXAResourceOrphanFilter")))
                .isEmpty();
        assertThat(RecoverySettings.gapOfJts(List.of(JTA + "XARecoveryModule"), filtersOfJta))
                .isEmpty();
    }
}
