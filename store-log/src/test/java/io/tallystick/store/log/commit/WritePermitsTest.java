package io.tallystick.store.log.commit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WritePermitsTest {
    private static final int CROWD = WritePermits.CROWD;

    private boolean threadsSleep = true;

    @Test
    void fewCommittersThatSleepWriteSideBySideUpToTheMost() {
        WritePermits permits = permits(3);
        for (int i = 0; i < 3; i++) {
            assertThat(permits.tryTake()).isTrue();
            use(permits, 1);
        }
        assertThat(permits.isFree()).isFalse();
        assertThat(permits.tryTake()).isFalse();

        giveBack(permits, 1);

        assertThat(permits.tryTake()).isTrue();
    }

    @Test
    void nothingBeginsBesideACrowd() {
        WritePermits permits = permits(4);
        assertThat(permits.tryTake()).isTrue();
        use(permits, CROWD);
        assertThat(permits.isFree()).isFalse();
        assertThat(permits.tryTake()).isFalse();

        giveBack(permits, CROWD);

        assertThat(permits.isFree()).isTrue();
        assertThat(permits.tryTake()).isTrue();
    }

    @Test
    void severalSmallWritesMakeACrowdBetweenThem() {
        WritePermits permits = permits(4);
        permits.tryTake();
        use(permits, CROWD / 2);
        assertThat(permits.tryTake()).isTrue();
        use(permits, CROWD / 2);
        assertThat(permits.isFree()).isFalse();
    }

    @Test
    void sizeOfTheLastBatchTellsWhetherItIsCrowded() {
        WritePermits permits = permits(1);
        assertThat(permits.isCrowded()).isFalse();
        permits.tryTake();
        use(permits, CROWD);
        giveBack(permits, CROWD);
        assertThat(permits.isCrowded()).isTrue();
        permits.tryTake();
        use(permits, CROWD - 1);
        giveBack(permits, CROWD - 1);
        assertThat(permits.isCrowded()).isFalse();
    }

    @Test
    void aCrowdIsLeftToOneThreadUntilThatThreadTakesTheQueue() {
        WritePermits permits = permits(2);
        permits.tryTake();
        use(permits, CROWD);
        giveBack(permits, CROWD);
        permits.tryTake();
        assertThat(permits.isCrowded()).isTrue();
        permits.begin();
        assertThat(permits.isCrowded()).isFalse();
        permits.use(CROWD);
        assertThat(permits.isCrowded()).isFalse();
        giveBack(permits, CROWD);
        assertThat(permits.isCrowded()).isTrue();
    }

    @Test
    void permitWithNothingToWriteIsGivenBackWhole() {
        WritePermits permits = permits(1);
        permits.tryTake();
        assertThat(permits.isFree()).isFalse();
        permits.giveBack();
        assertThat(permits.isFree()).isTrue();
        assertThat(permits.isCrowded()).isFalse();
    }

    @Test
    void oneWriteBeginsAtATimeWhereThreadsYield() {
        threadsSleep = false;
        WritePermits permits = permits(4);
        assertThat(permits.tryTake()).isTrue();
        use(permits, 1);
        assertThat(permits.isFree()).isFalse();
        assertThat(permits.tryTake()).isFalse();

        threadsSleep = true;
        assertThat(permits.tryTake()).isTrue();
        use(permits, 1);
        threadsSleep = false;
        giveBack(permits, 1);
        assertThat(permits.isFree()).isFalse();
        giveBack(permits, 1);
        assertThat(permits.tryTake()).isTrue();
    }

    @Test
    void aLogOnAnotherMachineHasAsManyWritesInFlightAsItTakes() {
        WritePermits permits = new WritePermits(3, true, () -> false);
        for (int i = 0; i < 3; i++) {
            assertThat(permits.tryTake()).isTrue();
            use(permits, 1_000);
            assertThat(permits.isCrowded()).isFalse();
        }
        assertThat(permits.tryTake()).isFalse();
    }

    private static void use(WritePermits permits, int committers) {
        permits.begin();
        permits.use(committers);
    }

    private static void giveBack(WritePermits permits, int committers) {
        permits.end(committers);
        permits.giveBack();
    }

    private WritePermits permits(int most) {
        return new WritePermits(most, false, () -> threadsSleep);
    }
}
