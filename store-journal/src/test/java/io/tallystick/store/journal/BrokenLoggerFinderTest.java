package io.tallystick.store.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ResourceBundle;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Where the process' logging is broken, the callers of a failing store are told what became of their writes
 * nevertheless.
 */
class BrokenLoggerFinderTest {
    @TempDir
    private Path services;

    /** Finds no logger for the journal. */
    public static final class Finder extends System.LoggerFinder {
        /** For {@link java.util.ServiceLoader}. */
        public Finder() {}

        @Override
        public System.Logger getLogger(String name, Module module) {
            if (name.endsWith("GroupCommit")) {
                throw new IllegalStateException("logging is broken");
            }
            return new Silent(name);
        }
    }

    private record Silent(String name) implements System.Logger {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isLoggable(Level level) {
            return false;
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
            // nobody listens
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
            // nobody listens
        }
    }

    /** The process: a write that fails. */
    static final class Child {
        private Child() {}

        /** Tells what its caller was told. */
        public static void main(String[] args) {
            FaultInjectingDisk disk = new FaultInjectingDisk(new SimulatedDisk());
            ObjectStore store =
                    JournalStores.open(JournalStores.small(Path.of("/simulated"), "segmented", "channel"), disk);
            disk.inject(DiskFault.in(DiskOperation.WRITE).failingWith(DiskFault.EIO));
            try {
                store.write(StateKey.of("/T", ObjectId.of(new byte[] {1})), new byte[10], Durability.FORCED);
                System.out.println("written");
            } catch (StoreException | IllegalStateException told) {
                System.out.println("told " + told.getClass().getSimpleName());
            }
        }
    }

    @Test
    void aLoggerFinderThatThrowsDoesNotTakeThePlaceOfTheOutcome() throws Exception {
        Path directory = Files.createDirectories(services.resolve("META-INF/services"));
        Files.writeString(directory.resolve("java.lang.System$LoggerFinder"), Finder.class.getName());
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-cp",
                        services + File.pathSeparator + System.getProperty("java.class.path"),
                        Child.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(output).contains("told OutcomeUnknownException");
    }
}
