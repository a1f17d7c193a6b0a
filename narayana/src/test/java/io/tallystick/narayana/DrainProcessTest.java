package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command of a container's preStop hook, against a process that is there. */
@Timeout(240)
class DrainProcessTest {
    @TempDir
    private Path directory;

    @Test
    void aProcessIsDrainedFromOutsideAndTheStatusTellsWhetherAnythingIsLeft() throws Exception {
        // In a directory of the test's: Narayana leaves a file of its own in the one it is started in.
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        // Short lives: start quickly, compile little.
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-DJTAEnvironmentBean.orphanSafetyInterval=500",
                        "-DRecoveryEnvironmentBean.recoveryBackoffPeriod=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Application.class.getName(),
                        directory.resolve("store").toString())
                .directory(directory.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            assertThat((char) process.getInputStream().read()).isEqualTo(Application.OPEN);
            String id = String.valueOf(process.pid());

            assertThat(DrainProcess.run(id, "0")).isEqualTo(DrainProcess.NOT_DRAINED);
            process.getOutputStream().write('r');
            process.getOutputStream().flush();
            assertThat((char) process.getInputStream().read()).isEqualTo(Application.REMOVED);
            assertThat(DrainProcess.run(id, "0")).isEqualTo(DrainProcess.UNPROVEN);
            assertThat(DrainProcess.run(id, "100")).isEqualTo(DrainProcess.DRAINED);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void fromASpringBootJarTheLauncherFindsTheCommand() throws Exception {
        Path jar = FatJar.of(directory, DrainProcess.class);
        assertThat(java(
                        "-Dloader.main=" + DrainProcess.class.getName(),
                        "-cp",
                        jar.toString(),
                        FatJar.LAUNCHER,
                        "2147483646",
                        "5"))
                .isEqualTo(DrainProcess.UNREACHABLE);
        assertThat(java("-Dloader.main=" + DrainProcess.class.getName(), "-cp", jar.toString(), FatJar.LAUNCHER))
                .isEqualTo(DrainProcess.MISUSED);
    }

    @Test
    void aCommandThatIsNotFoundDoesNotLookLikeAnAnswer() throws Exception {
        Path jar = FatJar.of(directory, DrainProcess.class);
        int status = java("-cp", jar.toString(), DrainProcess.class.getName(), "1", "5");
        assertThat(status)
                .isNotIn(
                        DrainProcess.DRAINED, DrainProcess.NOT_DRAINED, DrainProcess.MISUSED, DrainProcess.UNREACHABLE);
    }

    @Test
    void aJavaWithoutTheAttachModuleSaysThatItCannotAsk() throws Exception {
        assertThat(java(
                        "--limit-modules",
                        "java.base,java.logging,java.management,java.management.rmi",
                        "-cp",
                        System.getProperty("java.class.path"),
                        DrainProcess.class.getName(),
                        "2147483646",
                        "5"))
                .isEqualTo(DrainProcess.UNREACHABLE);
    }

    private int java(String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output.txt").toFile())
                .start();
        try {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void whatCannotBeAskedIsToldByTheStatus() {
        assertThat(DrainProcess.run("1")).isEqualTo(DrainProcess.MISUSED);
        assertThat(DrainProcess.run("one", "5")).isEqualTo(DrainProcess.MISUSED);
        assertThat(DrainProcess.run("2147483646", "5")).isEqualTo(DrainProcess.UNREACHABLE);
    }

    /** Opens a store with a pending record, which it removes when it is told to. */
    static final class Application {
        static final char OPEN = 'o';
        static final char REMOVED = 'r';

        private Application() {}

        public static void main(String[] arguments) throws IOException {
            OpenStores.Lease lease = new OpenStores(ObjectStores::open)
                    .acquire(StoreConfiguration.builder()
                            .store("file")
                            .directory(Path.of(arguments[0]))
                            .set("tallystick.jmx", "true")
                            .build());
            StateKey key = StateKey.of(TallystickDrain.ACTIONS + "/AtomicAction", ObjectId.of(new byte[] {1}));
            lease.store().write(key, new byte[1], Durability.FORCED);
            say(OPEN);
            System.in.read();
            lease.store().remove(key, Durability.FORCED);
            say(REMOVED);
            while (System.in.read() >= 0) {
                // until the test ends this process
            }
        }

        private static void say(char what) {
            System.out.print(what);
            System.out.flush();
        }
    }
}
