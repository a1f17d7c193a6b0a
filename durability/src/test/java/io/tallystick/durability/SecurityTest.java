package io.tallystick.durability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.durability.subject.SubjectCatalog;
import io.tallystick.durability.system.LogLevels;
import io.tallystick.storage.Disk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import io.tallystick.testkit.oracle.CrashSweep;
import io.tallystick.testkit.oracle.StoreWorkload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What SECURITY.md promises, for every store that has files. */
@Tag("long")
class SecurityTest {
    private static final Path SIMULATED = Path.of("/simulated/store");
    private static final StateKey KEY = key("/Security", 1);

    @TempDir
    private Path directory;

    static List<Subject> durable() {
        return SubjectCatalog.ours().stream()
                .filter(subject -> subject.is(Trait.DURABLE))
                .toList();
    }

    static List<Subject> onAnyDisk() {
        return durable().stream().filter(subject -> subject.is(Trait.ANY_DISK)).toList();
    }

    @ParameterizedTest
    @MethodSource("durable")
    void nobodyButTheOwnerHasAccess(Subject subject) throws IOException {
        Path store = lived(subject);

        for (Path path : paths(store)) {
            String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS));
            assertThat(mode).as(path.toString()).isEqualTo(Files.isDirectory(path) ? "rwx------" : "rw-------");
        }
    }

    @ParameterizedTest
    @MethodSource("durable")
    void noNameLeavesTheDirectoryOrMeetsAnother(Subject subject) throws IOException {
        assumeAvailable(subject);
        Path store = directory.resolve("store");
        List<StateKey> keys = new ArrayList<>();
        for (String type : List.of(
                "/a/../../../outside",
                "/..",
                "/.",
                "/a%2fb",
                "/a%252fb",
                "/A",
                "/a",
                "/a\u0000b",
                "/a\nb",
                "/\u202e",
                "/~",
                "/con")) {
            try {
                keys.add(key(type, 1));
            } catch (IllegalArgumentException refused) {
                // not a name at all
            }
        }
        try (ObjectStore open = subject.open(store)) {
            keys.forEach(key -> open.write(key, stateOf(key), Durability.FORCED));
        }

        try (ObjectStore open = subject.open(store)) {
            assertThat(keys).hasSizeGreaterThan(5).allSatisfy(key -> assertThat(open.read(key))
                    .contains(stateOf(key)));
        }
        assertThat(paths(directory)).allMatch(path -> path.equals(directory) || path.startsWith(store));
        assertThat(paths(store))
                .allSatisfy(path -> assertThat(path.getFileName().toString()).matches("[\\x21-\\x7e]+"));
    }

    @ParameterizedTest
    @MethodSource("durable")
    void aFileThatIsALinkIsRefused(Subject subject) throws IOException {
        Path store = lived(subject);
        Path file = paths(store).stream()
                .filter(path -> Files.isRegularFile(path)
                        && path.getFileName().toString().matches(".*\\.(seg|jnl|state)"))
                .findFirst()
                .orElseThrow();
        Path elsewhere = directory.resolve("elsewhere");
        Files.move(file, elsewhere);
        Files.createSymbolicLink(file, elsewhere);

        assertThatThrownBy(() -> subject.open(store).close())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(file.getFileName().toString());
        assertThat(elsewhere).exists();
    }

    @ParameterizedTest
    @MethodSource("onAnyDisk")
    void stateBytesReachNoLogAndNoMessage(Subject subject) throws IOException {
        String secret = "correct horse battery staple";
        byte[] state = secret.getBytes(StandardCharsets.UTF_8);
        StringBuilder told = new StringBuilder();
        Handler handler = listener(told);
        Logger root = Logger.getLogger("");
        Level before = root.getLevel();
        Handler[] others = root.getHandlers();
        Arrays.stream(others).forEach(root::removeHandler);
        root.addHandler(handler);
        root.setLevel(Level.ALL);
        try {
            for (DiskOperation operation : List.of(DiskOperation.WRITE, DiskOperation.FORCE, DiskOperation.READ)) {
                for (int occurrence = 1; occurrence <= 8; occurrence++) {
                    SimulatedDisk simulated = new SimulatedDisk();
                    FaultInjectingDisk disk = new FaultInjectingDisk(simulated);
                    disk.inject(DiskFault.in(operation).at(occurrence).forEver());
                    note(told, () -> use(subject, disk, state));
                    note(told, () -> use(subject, rotten(simulated.crash(1), state), state));
                }
            }
        } finally {
            root.removeHandler(handler);
            Arrays.stream(others).forEach(root::addHandler);
            root.setLevel(before);
        }

        assertThat(told.toString()).isNotEmpty().doesNotContain(secret).doesNotContain("battery");
    }

    /**
     * A state may hold anything, the log's own bytes too; torn in a crash, it must not be read as what it looks like.
     */
    @ParameterizedTest
    @MethodSource("onAnyDisk")
    void aStateThatHoldsWholeEncodedRecordsIsNeverTakenForThem(Subject subject) {
        LogLevels.silence();
        AtomicReference<SimulatedDisk> last = new AtomicReference<>();
        StoreWorkload echo = store -> {
            for (int i = 0; i < 2; i++) {
                StateKey old = key("/Old", i);
                attempt(() -> store.write(old, stateOf(old), Durability.FORCED));
                byte[] echoed = largestFile(last.get());
                attempt(() -> store.remove(old, Durability.FORCED));
                for (int shift : new int[] {0, 4096 - 24, 4096 - 100}) {
                    byte[] state = new byte[Math.min(8_000, shift + echoed.length)];
                    System.arraycopy(echoed, 0, state, shift, state.length - shift);
                    StateKey holder = key("/Holder", shift);
                    attempt(() -> store.write(holder, state, Durability.FORCED));
                }
            }
        };

        CrashSweep.Report report = CrashSweep.of(
                        (disk, path) -> {
                            last.set((SimulatedDisk) disk);
                            return subject.open(disk, path);
                        },
                        echo)
                .withLives(1)
                .withSeeds(3)
                .withNested(0)
                .run();

        assertThat(report.crashes()).isGreaterThan(30);
    }

    private static byte[] largestFile(SimulatedDisk disk) {
        try {
            byte[] largest = new byte[1];
            List<Path> pending = new ArrayList<>(disk.list(SIMULATED));
            while (!pending.isEmpty()) {
                Path path = pending.remove(pending.size() - 1);
                if (disk.kindOf(path) == Disk.PathKind.DIRECTORY) {
                    pending.addAll(disk.list(path));
                } else if (used(disk.contents(path)).length > largest.length) {
                    largest = used(disk.contents(path));
                }
            }
            return largest;
        } catch (IOException dead) {
            return new byte[1];
        }
    }

    private static byte[] used(byte[] bytes) {
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] == 0) {
            end--;
        }
        return Arrays.copyOf(bytes, end);
    }

    private static SimulatedDisk rotten(SimulatedDisk disk, byte[] state) throws IOException {
        List<Path> pending = new ArrayList<>();
        if (disk.kindOf(SIMULATED) == Disk.PathKind.DIRECTORY) {
            pending.addAll(disk.list(SIMULATED));
        }
        while (!pending.isEmpty()) {
            Path path = pending.remove(pending.size() - 1);
            if (disk.kindOf(path) == Disk.PathKind.DIRECTORY) {
                pending.addAll(disk.list(path));
                continue;
            }
            byte[] bytes = disk.contents(path);
            int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("correct horse");
            if (at >= 0) {
                bytes[at] ^= 1;
                disk.replaceContents(path, bytes);
            }
        }
        return disk;
    }

    private interface Use {
        void run() throws IOException;
    }

    private static void note(StringBuilder told, Use use) throws IOException {
        try {
            use.run();
        } catch (RuntimeException thrown) {
            for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
                told.append(cause).append('\n');
            }
        }
    }

    private static void use(Subject subject, Disk disk, byte[] state) {
        try (ObjectStore store = subject.open(disk, SIMULATED)) {
            store.write(KEY, state, Durability.FORCED);
            store.writeShadow(KEY, state, Durability.DEFERRED);
            Optional<byte[]> read = store.read(KEY);
            assertThat(read).isPresent();
        }
    }

    private static Handler listener(StringBuilder told) {
        return new Handler() {
            @Override
            public synchronized void publish(LogRecord logged) {
                told.append(logged.getMessage()).append(Arrays.toString(logged.getParameters()));
                for (Throwable cause = logged.getThrown(); cause != null; cause = cause.getCause()) {
                    told.append(cause).append('\n');
                }
            }

            @Override
            public void flush() {
                // nothing is kept back
            }

            @Override
            public void close() {
                // nothing is open
            }
        };
    }

    private Path lived(Subject subject) {
        assumeAvailable(subject);
        Path store = directory.resolve("store");
        try (ObjectStore open = subject.open(store)) {
            StoreWorkload.history(1, 30).run(open);
            open.write(KEY, new byte[100], Durability.FORCED);
        }
        return store;
    }

    private void assumeAvailable(Subject subject) {
        Optional<String> reason = subject.unavailableBecause(directory);
        assumeTrue(reason.isEmpty(), () -> "skipped: " + reason.orElse(""));
    }

    private static List<Path> paths(Path below) {
        try (Stream<Path> paths = Files.walk(below)) {
            return paths.toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static void attempt(Runnable operation) {
        try {
            operation.run();
        } catch (StoreException told) {
            // the oracle has heard of it
        }
    }

    private static StateKey key(String type, int number) {
        return StateKey.of(type, ObjectId.of(new byte[] {0, 0, 0, 0, 0, 0, (byte) (number >> 8), (byte) number}));
    }

    private static byte[] stateOf(StateKey key) {
        return ("state of " + key.toPrintable()).getBytes(StandardCharsets.UTF_8);
    }
}
