package io.tallystick.store.journal.room;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class RoomTest {
    private final Room room = new Room();

    @Test
    void aTakerLeavesTheFloorUntouched() {
        room.give(100);

        assertThat(room.tryTake(60, 41)).isFalse();
        assertThat(room.free()).isEqualTo(100);
        assertThat(room.tryTake(60, 40)).isTrue();
        assertThat(room.free()).isEqualTo(40);
    }

    @Test
    void roomIsTakenWithoutAConditionEvenBelowZero() {
        room.take(10);

        assertThat(room.free()).isEqualTo(-10);
        assertThat(room.tryTake(0, 0)).isFalse();
    }

    /** On a full disk writes are refused all the time, and a removal still finds the room that is there. */
    @Test
    @Timeout(60)
    void aTakerThatIsRefusedKeepsNoRoomFromAnother() throws Exception {
        room.give(100);
        Thread writer = new Thread(() -> {
            for (int writes = 0; writes < 2_000_000; writes++) {
                room.tryTake(60, 50);
            }
        });
        writer.start();
        int refusals = 0;
        while (writer.isAlive()) {
            if (room.tryTake(60, 0)) {
                room.give(60);
            } else {
                refusals++;
            }
        }
        writer.join();

        assertThat(refusals).isZero();
    }

    @Test
    @Timeout(60)
    void manyTakersNeverTakeMoreThanThereIs() throws Exception {
        room.give(10_000);
        AtomicLong taken = new AtomicLong();
        List<Thread> takers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread taker = new Thread(() -> {
                for (int tries = 0; tries < 10_000; tries++) {
                    if (room.tryTake(3, 100)) {
                        taken.addAndGet(3);
                    }
                }
            });
            takers.add(taker);
            taker.start();
        }
        for (Thread taker : takers) {
            taker.join();
        }

        assertThat(taken.get()).isEqualTo(9_900);
        assertThat(room.free()).isEqualTo(100);
    }
}
