package io.tallystick.store.log.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What readers see of the versions of one key: on disk, forced and on its way, deferred on top of it. */
class PendingAppendTest {
    private static final StateKey KEY = StateKey.of("/T", ObjectId.of(new byte[] {1}));

    private final PendingAppend onDisk = append(false);
    private final PendingAppend forced = append(false);
    private final PendingAppend dependent = append(true);
    private final PendingAppend latest = append(true);

    @BeforeEach
    void aForcedVersionIsOnItsWay() {
        onDisk.succeed();
        forced.supersede(onDisk);
        dependent.supersede(forced);
    }

    @Test
    void aDeferredVersionIsSeenWhenTheForcedOneBelowItIsOnDisk() {
        latest.supersede(dependent);
        assertThat(seen()).isSameAs(onDisk);

        forced.succeed();

        assertThat(seen()).isSameAs(latest);
    }

    @Test
    void whatIsOnDiskIsNotHiddenByADeferredVersionThatCameBefore() {
        latest.supersede(dependent);

        dependent.succeed(); // in another write than the forced one, which is still on its way

        assertThat(seen()).isSameAs(latest);
        forced.fail(new IOException("simulated"), true);
        assertThat(seen()).isSameAs(latest);
    }

    /** Its caller would hear that nothing was written, and a reader would see it a moment later. */
    @Test
    @Timeout(30)
    void aDeferredVersionThatFailedHasNoAnswerWhileTheForcedOneBelowItMayStillLand() throws InterruptedException {
        dependent.fail(new IOException("simulated"), false);
        CountDownLatch looks = new CountDownLatch(5);
        Thread caller = new Thread(() -> dependent.awaitVisible(looks::countDown));
        caller.start();
        try {
            assertThat(looks.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(caller.isAlive()).isTrue();
        } finally {
            forced.succeed();
        }
        caller.join();

        assertThat(dependent.isVisible()).isTrue();
    }

    @Test
    @Timeout(30)
    void aDeferredVersionFailsWithTheForcedOneBelowIt() {
        dependent.fail(new IOException("simulated"), false);
        forced.fail(new IOException("simulated"), true);

        dependent.awaitVisible(() -> {});

        assertThat(dependent.isVisible()).isFalse();
    }

    @Test
    void whatIsOnDiskIsNotHiddenByADeferredVersionThatComesAfter() {
        dependent.succeed();
        assertThat(PendingAppendTest.seenFrom(dependent)).isSameAs(dependent);

        latest.supersede(dependent);

        assertThat(seen()).isSameAs(latest);
    }

    @Test
    void whatDependsOnAForcedVersionThatFailedIsNeverSeen() {
        latest.supersede(dependent);

        forced.fail(new IOException("simulated"), true);

        assertThat(seen()).isSameAs(onDisk);
    }

    private Version seen() {
        return seenFrom(latest);
    }

    /** As a reader walks. */
    private static Version seenFrom(Version from) {
        Version version = from;
        while (!version.isVisible()) {
            version = version.beforeWhatIsHidden();
        }
        return version;
    }

    private static PendingAppend append(boolean deferred) {
        return PendingAppend.of(KEY, StateImage.of(new byte[] {1}, null, false), new byte[8], deferred);
    }
}
