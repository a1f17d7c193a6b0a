package io.tallystick.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreIoException;
import io.tallystick.testkit.ToyStore;
import io.tallystick.testkit.oracle.Oracle;
import io.tallystick.testkit.oracle.StoreWorkload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store in another process is a store, lives no longer than its process, and is judged by the oracle of this one. */
class StoreProcessTest {
    private static final StateKey KEY = StateKey.of("/T", ObjectId.of(new byte[] {1}));

    @TempDir
    private Path directory;

    /** The other process. */
    static final class ToyProcess {
        private ToyProcess() {}

        public static void main(String[] arguments) throws IOException {
            StoreServer.serve(() -> {
                if (arguments[0].equals("refuse")) {
                    throw new StoreIoException("refused", null);
                }
                return ToyStore.open(new SystemDisk(), Path.of(arguments[0]));
            });
        }
    }

    @Test
    void everyMethodAnswersAsInTheSameProcess() throws IOException {
        try (StoreProcess store = start(directory.resolve("store").toString())) {
            store.write(KEY, new byte[] {7}, Durability.FORCED);
            store.writeAsync(KEY, new byte[] {8}).toCompletableFuture().join();
            store.writeShadow(KEY, new byte[] {9}, Durability.DEFERRED);
            store.force();

            assertThat(store.read(KEY)).contains(new byte[] {8});
            assertThat(store.readShadow(KEY)).contains(new byte[] {9});
            assertThat(store.statusOf(KEY)).isEqualTo(StateStatus.SHADOW);
            assertThat(store.types()).containsExactly("/T");
            assertThat(store.keys("/T")).containsExactly(KEY);
            assertThat(store.hide(KEY)).isTrue();
            assertThat(store.reveal(KEY)).isTrue();
            assertThat(store.commitShadow(KEY, Durability.FORCED)).isTrue();
            assertThat(store.discardShadow(KEY, Durability.FORCED)).isFalse();
            assertThat(store.remove(KEY, Durability.FORCED)).isTrue();
            assertThat(store.read(KEY)).isEmpty();
            assertThat(store.failure()).isEmpty();
            assertThatThrownBy(() -> store.write(KEY, new byte[1 << 25], Durability.FORCED))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void whatWasAcknowledgedBeforeTheKillIsJudgedAfterIt() throws IOException {
        Oracle oracle = new Oracle();
        for (int life = 0; life < 2; life++) {
            try (StoreProcess store = start(directory.resolve("store").toString())) {
                oracle.checkRecovered(store);
                ObjectStore watched = oracle.watch(store);
                StoreWorkload.history(life, 30).run(watched);
                store.kill();
                StateKey key = KEY;
                assertThatThrownBy(() -> watched.write(key, new byte[1], Durability.FORCED))
                        .isInstanceOf(StoreFailedException.class);
            }
        }
    }

    @Test
    void aStoreThatRefusesToOpenSaysSoHere() {
        assertThatThrownBy(() -> start("refuse"))
                .isInstanceOf(StoreException.class)
                .hasMessage("refused");
    }

    private static StoreProcess start(String argument) throws IOException {
        return StoreProcess.of(
                new ProcessBuilder(List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                ToyProcess.class.getName(),
                                argument))
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start(),
                30);
    }
}
