package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.ChildJvm;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code tallystick.on-lost-log} does, in a process that may be ended. */
class OnLostLogTest {
    private static final int HALTED = 71;
    private static final int LIVED_ON = 3;

    @TempDir
    private Path parent;

    /** Opens the store, removes its lock file or closes the store, and waits longer than the store needs to notice. */
    static final class Child {
        private Child() {}

        /** Arguments: directory, value of the option, and whether to close instead. */
        public static void main(String[] args) throws IOException, InterruptedException {
            Path directory = Path.of(args[0]);
            ObjectStore store = ObjectStores.open(StoreConfiguration.builder()
                    .store("file")
                    .directory(directory)
                    .set(StoreOption.ON_LOST_LOG, StoreOption.ON_LOST_LOG.parse(args[1]))
                    .build());
            store.write(StateKey.parse("/T:01"), new byte[1], Durability.FORCED);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("shutdown hooks ran")));
            if (args.length > 2) {
                store.close();
            }
            Files.delete(directory.resolve("tallystick.lock"));
            TimeUnit.SECONDS.sleep(4);
            System.out.println(store.health().state());
            System.exit(LIVED_ON);
        }
    }

    @Test
    void haltEndsAnIdleProcessThatHasLostItsLog() {
        String output = child().endsWith(HALTED, directory(), "halt");

        assertThat(output)
                .contains("TALLY0020", "tallystick.on-lost-log=halt", "TALLY0105", "tallystick.lock is gone")
                .doesNotContain("shutdown hooks ran");
    }

    @Test
    void stopLeavesTheProcessRunningWithAStoreThatHasFailed() {
        assertThat(child().endsWith(LIVED_ON, directory(), "stop"))
                .contains("FAILED")
                .doesNotContain("TALLY0020");
    }

    @Test
    void aProcessThatHasClosedItsStoreHasNothingToLose() {
        assertThat(child().endsWith(LIVED_ON, directory(), "halt", "close"))
                .contains("CLOSED")
                .doesNotContain("TALLY0020");
    }

    private ChildJvm child() {
        return ChildJvm.of(Child.class).withOutputIn(parent);
    }

    private String directory() {
        return parent.resolve("store").toString();
    }
}
