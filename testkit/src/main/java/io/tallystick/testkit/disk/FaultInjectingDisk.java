package io.tallystick.testkit.disk;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.DiskLock;
import io.tallystick.storage.ForwardingDisk;
import io.tallystick.storage.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A disk around another one on which the test makes operations fail: {@link #inject}. It logs every operation, in the
 * order in which they ended. Any number of threads may use it.
 */
public final class FaultInjectingDisk extends ForwardingDisk {
    private final List<Injected> faults = new ArrayList<>();
    private final List<DiskEvent> log = new ArrayList<>();

    private long struck;

    /** A disk around this one, without a fault yet. */
    public FaultInjectingDisk(Disk disk) {
        super(disk);
    }

    /** A fault and how many operations it has seen. */
    private static final class Injected {
        private final DiskFault fault;
        private long seen;

        Injected(DiskFault fault) {
            this.fault = fault;
        }
    }

    /** The operation on the other disk. */
    @FunctionalInterface
    private interface Action<T> {
        T perform() throws IOException;
    }

    /** Adds a fault. If several faults strike the same operation, the one that was injected first takes effect. */
    public synchronized void inject(DiskFault fault) {
        faults.add(new Injected(Objects.requireNonNull(fault)));
    }

    /** Removes all faults. Operations that wait in a stall go on waiting. */
    public synchronized void clearFaults() {
        faults.clear();
    }

    /** The number of operations that a fault struck. */
    public synchronized long struck() {
        return struck;
    }

    /** The operations so far; a snapshot. */
    public synchronized List<DiskEvent> log() {
        return List.copyOf(log);
    }

    /** Empties the log. */
    public synchronized void clearLog() {
        log.clear();
    }

    /** The number of operations of this kind in the log, failed ones included. */
    public long count(DiskOperation operation) {
        return count(operation, file -> true);
    }

    /** The number of operations of this kind on such files in the log, failed ones included. */
    public synchronized long count(DiskOperation operation, Predicate<Path> files) {
        return log.stream()
                .filter(event -> event.operation() == operation && files.test(event.file()))
                .count();
    }

    @Override
    public DiskFile open(Path file, OpenMode mode) throws IOException {
        return perform(DiskOperation.OPEN, file, () -> new LoggedFile(disk.open(file, mode)));
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        perform(DiskOperation.CREATE_DIRECTORY, directory, () -> {
            disk.createDirectory(directory);
            return null;
        });
    }

    @Override
    public void rename(Path source, Path target) throws IOException {
        perform(DiskOperation.RENAME, source, () -> {
            disk.rename(source, target);
            return null;
        });
    }

    @Override
    public void renameToNew(Path source, Path target) throws IOException {
        perform(DiskOperation.RENAME, source, () -> {
            disk.renameToNew(source, target);
            return null;
        });
    }

    @Override
    public void delete(Path path) throws IOException {
        perform(DiskOperation.DELETE, path, () -> {
            disk.delete(path);
            return null;
        });
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        return perform(DiskOperation.LIST, directory, () -> disk.list(directory));
    }

    @Override
    public void forEach(Path directory, PathVisitor visitor) throws IOException {
        for (Path path : list(directory)) {
            visitor.visit(path);
        }
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        perform(DiskOperation.FORCE_DIRECTORY, directory, () -> {
            disk.forceDirectory(directory);
            return null;
        });
    }

    @Override
    public Optional<DiskLock> tryLock(Path file) throws IOException {
        return perform(DiskOperation.LOCK, file, () -> disk.tryLock(file));
    }

    @Override
    public boolean isLocked(Path file) throws IOException {
        return kindOf(file) != PathKind.MISSING && perform(DiskOperation.LOCK, file, () -> disk.isLocked(file));
    }

    private <T> T perform(DiskOperation operation, Path file, Action<T> action) throws IOException {
        return perform(operation, file, -1, -1, striking(operation, file), action, null);
    }

    private synchronized Optional<DiskFault.Effect> striking(DiskOperation operation, Path file) {
        DiskFault.Effect effect = null;
        for (Injected injected : faults) {
            if (injected.fault.concerns(operation, file)) {
                injected.seen++;
                if (effect == null && injected.fault.strikesAt(injected.seen)) {
                    effect = injected.fault.effect();
                }
            }
        }
        struck += effect == null ? 0 : 1;
        return Optional.ofNullable(effect);
    }

    private <T> T perform(
            DiskOperation operation,
            Path file,
            long position,
            long length,
            Optional<DiskFault.Effect> effect,
            Action<T> action,
            T lie)
            throws IOException {
        String outcome = "done";
        try {
            if (effect.isEmpty()) {
                return action.perform();
            }
            if (effect.get() instanceof DiskFault.Lie) {
                outcome = "lied";
                return lie;
            }
            if (effect.get() instanceof DiskFault.Prelude prelude) {
                prelude.action().run();
            }
            if (effect.get() instanceof DiskFault.Failure failure) {
                if (failure.afterwards()) {
                    action.perform();
                }
                throw failure.exception(file);
            }
            T result = action.perform();
            if (effect.get() instanceof DiskFault.Sequel sequel) {
                sequel.action().run();
            }
            return result;
        } catch (IOException failed) {
            outcome = "threw " + failed.getMessage();
            throw failed;
        } finally {
            append(new DiskEvent(operation, file, position, length, outcome));
        }
    }

    private synchronized void append(DiskEvent event) {
        log.add(event);
    }

    /** A file whose operations are logged and may fail. */
    private final class LoggedFile implements DiskFile {
        private final DiskFile file;
        // A write was given up: the kernel keeps the file open.
        private volatile boolean isOut;

        LoggedFile(DiskFile file) {
            this.file = file;
        }

        @Override
        public Path path() {
            return file.path();
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            return FaultInjectingDisk.this.perform(
                    DiskOperation.READ,
                    path(),
                    position,
                    target.remaining(),
                    striking(DiskOperation.READ, path()),
                    () -> file.read(target, position),
                    target.remaining());
        }

        @Override
        public int write(ByteBuffer source, long position) throws IOException {
            Optional<DiskFault.Effect> effect = striking(DiskOperation.WRITE, path());
            int length = source.remaining();
            int taken = effect.isPresent() && effect.get() instanceof DiskFault.ShortWrite shortWrite
                    ? Math.min(length, shortWrite.bytes())
                    : length;
            boolean lies = effect.isPresent() && effect.get() instanceof DiskFault.Lie;
            int written = FaultInjectingDisk.this.perform(
                    DiskOperation.WRITE,
                    path(),
                    position,
                    length,
                    effect,
                    () -> {
                        if (effect.isPresent() && effect.get() instanceof DiskFault.GivenUp givenUp) {
                            isOut = true;
                            throw givenUp.late().giveUp(file, source, position);
                        }
                        return file.write(source.duplicate().limit(source.position() + taken), position);
                    },
                    length);
            // The buffer's position moves past the bytes that were taken, as with a channel, even if the result is a
            // lie.
            source.position(source.position() + (lies ? length : written));
            return written;
        }

        @Override
        public void force() throws IOException {
            FaultInjectingDisk.this.perform(DiskOperation.FORCE, path(), () -> {
                file.force();
                return null;
            });
        }

        @Override
        public void truncate(long size) throws IOException {
            FaultInjectingDisk.this.perform(
                    DiskOperation.TRUNCATE,
                    path(),
                    size,
                    -1,
                    striking(DiskOperation.TRUNCATE, path()),
                    () -> {
                        file.truncate(size);
                        return null;
                    },
                    null);
        }

        @Override
        public void close() throws IOException {
            if (!isOut) {
                file.close();
            }
        }
    }
}
