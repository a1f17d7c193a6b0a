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
    private static final int UNMARKED = 72;
    private static final int LIVED_ON = 3;

    @TempDir
    private Path parent;

    /** Opens the store, takes something of it away or closes it, and waits longer than the store needs to notice. */
    static final class Child {
        private Child() {}

        /** Arguments: directory, value of the option, and what is done instead of removing the lock file. */
        public static void main(String[] args) throws IOException, InterruptedException {
            Path directory = Path.of(args[0]);
            ObjectStore store = ObjectStores.open(StoreConfiguration.builder()
                    .store("file")
                    .directory(directory)
                    .set(StoreOption.ON_LOST_LOG, StoreOption.ON_LOST_LOG.parse(args[1]))
                    .build());
            store.write(StateKey.parse("/T:01"), new byte[1], Durability.FORCED);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("shutdown hooks ran")));
            switch (args.length > 2 ? args[2] : "") {
                case "identity" -> Files.delete(directory.resolve("tallystick.store"));
                case "directory" -> Files.move(directory, directory.resolveSibling("elsewhere"));
                default -> {
                    if (args.length > 2) {
                        store.close();
                    }
                    Files.delete(directory.resolve("tallystick.lock"));
                }
            }
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
                .contains("no loss is marked")
                .doesNotContain("shutdown hooks ran");
    }

    @Test
    void aLossOfDataIsMarkedBeforeTheProcessEnds() {
        String output = child().endsWith(HALTED, directory(), "halt", "identity");

        assertThat(output).contains("TALLY0020", "tallystick.store is gone", "The loss is marked");
        assertThat(parent.resolve("store").resolve("tallystick.loss")).exists();
    }

    @Test
    void aLossThatCannotBeMarkedEndsTheProcessWithAStatusOfItsOwn() {
        String output = child().endsWith(UNMARKED, directory(), "halt", "directory");

        assertThat(output).contains("TALLY0020", "TALLY0112", "could not be marked, so the status is 72");
        assertThat(parent.resolve("elsewhere").resolve("tallystick.loss")).doesNotExist();
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
