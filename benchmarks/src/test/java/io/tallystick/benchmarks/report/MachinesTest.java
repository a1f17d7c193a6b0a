package io.tallystick.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class MachinesTest {
    @Test
    void steadyMachinesAreAsManyAsTheirBest() {
        Machines steady = new Machines(Collections.nCopies(50, 10_000.0));

        assertThat(steady.atBest(95_000)).isEqualTo(10);
        assertThat(steady.surely(95_000)).isEqualTo(10);
    }

    @Test
    void machinesThatStandStillNowAndThenMustBeMore() {
        // One slice in five is nothing: of n machines enough must run in 99 % of the moments.
        Machines halting = new Machines(List.of(0.0, 10_000.0, 10_000.0, 10_000.0, 10_000.0));

        assertThat(halting.atBest(100_000)).isEqualTo(10);
        assertThat(halting.surely(100_000))
                .isBetween(16, 18); // binomial: P(n=17, at least 10) = 0.9974, P(n=16) = 0.9926
    }

    @Test
    void oneThatIsNeededAloneMustBeFastEnoughInAlmostEverySlice() {
        Machines one = new Machines(List.of(500.0, 1_000.0, 1_000.0, 1_000.0));

        assertThat(one.atBest(1_000)).isEqualTo(1);
        assertThat(one.surely(1_000)).isEqualTo(2);
    }

    @Test
    void machinesThatNeverDoAnythingAreNotCountedForEver() {
        assertThat(new Machines(List.of(0.0, 0.001)).surely(1_000)).isEqualTo(100_000);
    }

    @Test
    void targetsAreRound() {
        assertThat(Machines.targetFor(38_000)).isEqualTo(500_000);
        assertThat(Machines.targetFor(9_900)).isEqualTo(100_000);
        assertThat(Machines.targetFor(20_000)).isEqualTo(200_000);
    }
}
