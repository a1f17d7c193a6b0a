package io.tallystick.reaper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StripesTest {
    private final Stripes stripes = new Stripes(1);

    @Test
    void thereAreAtLeast32StripesForEachProcessorAPowerOfTwoAndNoMoreThan1024() {
        int[] processors = {1, 2, 3, 4, 5, 31, 32, 33, 4096};
        int[] counts = {32, 64, 128, 128, 256, 1024, 1024, 1024, 1024};

        assertThat(IntStream.of(processors).map(Stripes::countFor).toArray()).isEqualTo(counts);
    }

    @Test
    void takesWhatWasPushed() {
        Registration first = push();
        Registration second = push();

        assertThat(list(stripes.take(0))).containsExactlyInAnyOrder(first, second);
        assertThat(stripes.take(0)).isNull();
        assertThat(stripes.isEmpty()).isTrue();
    }

    @Test
    void pushingDropsTheEndedOnesOnTop() {
        Registration open = push();
        for (int i = 0; i < 1000; i++) {
            push().cancel();
        }

        assertThat(list(stripes.take(0))).hasSize(2).contains(open);
    }

    @Test
    void pushingKeepsEndedOnesBelowAnOpenOne() {
        push().cancel();
        Registration open = push();
        Registration last = push();

        assertThat(list(stripes.take(0))).containsExactly(last, open);
    }

    @Test
    void countsArrivalsAlsoTheDroppedOnes() {
        for (int i = 0; i < 10; i++) {
            push().cancel();
        }
        assertThat(stripes.arrivals()).isEqualTo(10);

        stripes.take(0);

        assertThat(stripes.arrivals()).isZero();
    }

    @Test
    void isNotEmptyAfterAnArrivalThatHasEnded() {
        push().cancel();

        assertThat(stripes.isEmpty()).isFalse();
    }

    @Test
    void losesNoneOfManyThreads() throws InterruptedException {
        Stripes four = new Stripes(4);
        int threads = 8;
        int each = 5_000;
        List<Registration> pushed = new ArrayList<>();
        ConcurrentLinkedQueue<Registration> taken = new ConcurrentLinkedQueue<>();
        CountDownLatch done = new CountDownLatch(threads);
        for (int t = 0; t < threads; t++) {
            List<Registration> mine = new ArrayList<>();
            for (int i = 0; i < each; i++) {
                mine.add(open());
            }
            pushed.addAll(mine);
            new Thread(() -> {
                        mine.forEach(four::push);
                        done.countDown();
                    })
                    .start();
        }
        while (done.getCount() > 0) {
            takeAll(four, taken);
        }
        done.await();
        takeAll(four, taken);

        assertThat(taken).hasSize(threads * each);
        assertThat(Set.copyOf(taken)).isEqualTo(Set.copyOf(pushed));
    }

    private static void takeAll(Stripes from, ConcurrentLinkedQueue<Registration> into) {
        for (int stripe = 0; stripe < from.count(); stripe++) {
            into.addAll(list(from.take(stripe)));
        }
    }

    private Registration push() {
        Registration registration = open();
        stripes.push(registration);
        return registration;
    }

    private static Registration open() {
        return new Registration(new TestTransaction("t"), 1, null);
    }

    private static List<Registration> list(Registration first) {
        List<Registration> all = new ArrayList<>();
        for (Registration registration = first; registration != null; registration = registration.next) {
            all.add(registration);
        }
        return all;
    }
}
