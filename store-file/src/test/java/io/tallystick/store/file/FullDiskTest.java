package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreHealth;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A full disk and a used-up quota, told by the operating system itself in the language of the process. */
@Timeout(180)
class FullDiskTest {
    private static final String GERMAN = "de_DE";

    @TempDir
    private static Path locales;

    @ParameterizedTest
    @CsvSource({"C, ENOSPC", "C, EDQUOT", "de_DE, ENOSPC", "de_DE, EDQUOT"})
    void noRoomForANameNeitherRefusesAnOpeningNorFailsTheStore(String language, String error, @TempDir Path root)
            throws Exception {
        assumeTrue(
                isRunnable("strace", "-f", "-qq", "-e", "trace=none", "true"),
                "skipped: strace is not installed or may not trace here");
        try (FileStore store = open(root.resolve("store"))) {
            store.write(key(0), new byte[10], Durability.FORCED);
        }
        List<String> command = new ArrayList<>(List.of(
                "strace",
                "-f",
                "-qq",
                "-o",
                root.resolve("trace").toString(),
                "-e",
                "trace=?rename,?renameat,?renameat2",
                "-e",
                "inject=?rename,?renameat,?renameat2:error=" + error));
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // Short lives: start quickly, compile little.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                Writer.class.getName(),
                root.resolve("store").toString()));
        ProcessBuilder child = new ProcessBuilder(command).redirectErrorStream(true);
        child.environment().put("LC_ALL", language.equals(GERMAN) ? GERMAN + ".UTF-8" : language);
        child.environment().remove("LANGUAGE");
        if (language.equals(GERMAN)) {
            child.environment().putAll(madeLocale());
        }

        assertThat(outputOf(child.start())).contains("refused because the disk is full", "running true");
    }

    /** What the other process does, whose every change of a name fails. */
    static final class Writer {
        private Writer() {}

        public static void main(String[] arguments) {
            try (FileStore store = open(Path.of(arguments[0]))) {
                try {
                    store.write(key(1), new byte[10], Durability.FORCED);
                } catch (StoreFullException full) {
                    System.out.println("refused because the disk is full: " + full.getMessage());
                }
                System.out.println("running "
                        + (store.read(key(0)).isPresent() && store.health().state() == StoreHealth.State.OPEN));
            }
        }
    }

    private static FileStore open(Path directory) {
        return FileStore.open(FileStoreOptions.in(directory), new SystemDisk(), NanoClock.SYSTEM);
    }

    private static StateKey key(int number) {
        return StateKey.of("/Some/Type", ObjectId.of(new byte[] {(byte) number}));
    }

    /** A German locale, made once, where the machine has what it takes to make one. */
    private static Map<String, String> madeLocale() throws IOException, InterruptedException {
        assumeTrue(
                Files.exists(Path.of("/usr/share/locale/de/LC_MESSAGES/libc.mo")),
                "skipped: the C library's German texts are not installed (package libc-l10n)");
        Path made = locales.resolve(GERMAN + ".UTF-8");
        assumeTrue(
                Files.exists(made) || isRunnable("localedef", "-i", GERMAN, "-f", "UTF-8", made.toString()),
                "skipped: no German locale can be made here (package locales)");
        return Map.of("LOCPATH", locales.toString());
    }

    private static boolean isRunnable(String... command) throws InterruptedException {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            outputOf(process);
            return process.exitValue() == 0;
        } catch (IOException missing) {
            return false;
        }
    }

    private static String outputOf(Process process) throws IOException, InterruptedException {
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }
}
