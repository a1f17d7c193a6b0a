package io.tallystick.store.log.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CrowdPolicyTest {
    private static final int MANY = 300;
    private static final int FEW = 4;

    @Test
    void nobodyYieldsWhereFewCommit() {
        for (WaitStrategy strategy : WaitStrategy.values()) {
            CrowdPolicy policy = CrowdPolicy.of(strategy, 2);
            for (int records = 0; records < policy.crowdRecords(); records++) {
                assertThat(policy.isCrowd(records)).isFalse();
                assertThat(policy.yieldsOfWaiter(records)).isZero();
                assertThat(policy.yieldsOfWriter(records)).isZero();
            }
        }
    }

    @Test
    void aLoneCommitterIsNoCrowd() {
        assertThat(CrowdPolicy.of(WaitStrategy.YIELDING, 64).isCrowd(2)).isFalse();
    }

    @Test
    void idleProcessorsAreKeptBusyOnlyWhereThatWasAskedFor() {
        assertThat(yields(CrowdPolicy.of(WaitStrategy.AUTO, 2)::yieldsOfWaiter, 4, 8, 15, 16, 63, 64, 500))
                .containsExactly(0, 0, 0, MANY, MANY, FEW, FEW);
        assertThat(yields(CrowdPolicy.of(WaitStrategy.YIELDING, 2)::yieldsOfWaiter, 3, 4, 15, 16, 63, 64, 500))
                .containsExactly(0, MANY, MANY, MANY, MANY, FEW, FEW);
    }

    @Test
    void manyProcessorsNeedManyCommittersToBeBusy() {
        assertThat(yields(CrowdPolicy.of(WaitStrategy.AUTO, 32)::yieldsOfWaiter, 8, 23, 24, 255, 256, 1023, 1024))
                .containsExactly(0, 0, FEW, FEW, MANY, MANY, FEW);
    }

    @Test
    void theWriterYieldsTwiceWhereItMustNotMissTheOthers() {
        assertThat(yields(CrowdPolicy.of(WaitStrategy.AUTO, 2)::yieldsOfWriter, 7, 8, 16, 500))
                .containsExactly(0, 1, 1, 1);
        assertThat(yields(CrowdPolicy.of(WaitStrategy.YIELDING, 2)::yieldsOfWriter, 3, 4, 15, 16, 500))
                .containsExactly(0, 2, 2, 1, 1);
    }

    private static int[] yields(IntUnaryOperator policy, int... records) {
        return IntStream.of(records).map(policy).toArray();
    }
}
