package io.tallystick.store.log.commit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WritePermitsTest {
    private static final CrowdPolicy POLICY = CrowdPolicy.of(WaitStrategy.AUTO, 2);
    private static final int CROWD_RECORDS = POLICY.crowdRecords();

    @Test
    void fewCommittersWriteSideBySideUpToTheMost() {
        WritePermits permits = new WritePermits(3, POLICY);
        for (int i = 0; i < 3; i++) {
            assertThat(permits.tryTake()).isTrue();
            permits.use(2);
        }
        assertThat(permits.isFree()).isFalse();
        assertThat(permits.tryTake()).isFalse();

        permits.giveBack(2);

        assertThat(permits.tryTake()).isTrue();
    }

    @Test
    void nothingBeginsBesideACrowd() {
        WritePermits permits = new WritePermits(4, POLICY);
        assertThat(permits.tryTake()).isTrue();
        permits.use(CROWD_RECORDS);
        assertThat(permits.isFree()).isFalse();
        assertThat(permits.tryTake()).isFalse();

        permits.giveBack(CROWD_RECORDS);

        assertThat(permits.isFree()).isTrue();
        assertThat(permits.tryTake()).isTrue();
    }

    @Test
    void severalSmallWritesMakeACrowdBetweenThem() {
        WritePermits permits = new WritePermits(4, POLICY);
        permits.tryTake();
        permits.use(CROWD_RECORDS / 2);
        assertThat(permits.tryTake()).isTrue();
        permits.use(CROWD_RECORDS / 2);
        assertThat(permits.isFree()).isFalse();
    }

    @Test
    void sizeOfTheLastBatchTellsWhetherItIsCrowded() {
        WritePermits permits = new WritePermits(1, POLICY);
        assertThat(permits.isCrowded()).isFalse();
        permits.tryTake();
        permits.use(CROWD_RECORDS);
        permits.giveBack(CROWD_RECORDS);
        assertThat(permits.isCrowded()).isTrue();
        permits.tryTake();
        permits.use(CROWD_RECORDS - 1);
        permits.giveBack(CROWD_RECORDS - 1);
        assertThat(permits.isCrowded()).isFalse();
    }

    @Test
    void permitWithNothingToWriteIsGivenBackWhole() {
        WritePermits permits = new WritePermits(1, POLICY);
        permits.tryTake();
        assertThat(permits.isFree()).isFalse();
        permits.giveBack(0);
        assertThat(permits.isFree()).isTrue();
        assertThat(permits.isCrowded()).isFalse();
    }
}
