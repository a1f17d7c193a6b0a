package io.tallystick.durability.subject;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.DiskLock;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/** A store of ours that breaks one promise. The stages on real files must find it. The catalog does not list it. */
final class LyingSubject implements Subject {
    private final String name;
    private final Subject honest;
    private final Lie lie;

    /** The broken promise. */
    enum Lie {
        /** No force reaches the disk. */
        FORCES_NOTHING,
        /** A forced write is only deferred. */
        ACKNOWLEDGES_EARLY,
        /** A write that finds no room returns as if it were made. */
        IGNORES_A_FULL_DISK,
        /** An interrupt of the writing thread breaks the write, as with a file channel. */
        BREAKS_ON_INTERRUPT,
        /** Every process gets the lock. */
        IGNORES_LOCKS
    }

    private LyingSubject(Subject honest, Lie lie) {
        this.name = "lying-" + lie.name().toLowerCase(Locale.ROOT).replace('_', '-') + "-" + honest.name();
        this.honest = honest;
        this.lie = lie;
    }

    static List<Subject> all() {
        return List.of(
                new LyingSubject(OurSubject.file(), Lie.FORCES_NOTHING),
                new LyingSubject(OurSubject.journal("segmented", "channel"), Lie.FORCES_NOTHING),
                new LyingSubject(OurSubject.journal("segmented", "direct"), Lie.FORCES_NOTHING),
                new LyingSubject(OurSubject.journal("segmented", "channel"), Lie.ACKNOWLEDGES_EARLY),
                new LyingSubject(OurSubject.file(), Lie.IGNORES_A_FULL_DISK),
                new LyingSubject(OurSubject.file(), Lie.BREAKS_ON_INTERRUPT),
                new LyingSubject(OurSubject.file(), Lie.IGNORES_LOCKS));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Family family() {
        return Family.PEER;
    }

    @Override
    public Set<Trait> traits() {
        return honest.traits();
    }

    @Override
    public Optional<String> unavailableBecause(Path directory) {
        return honest.unavailableBecause(directory);
    }

    @Override
    public ObjectStore open(Path directory) {
        return open(new SystemDisk(), directory);
    }

    @Override
    public ObjectStore open(Disk disk, Path directory) {
        return switch (lie) {
            case ACKNOWLEDGES_EARLY -> deferringWrites(honest.open(disk, directory));
            case IGNORES_LOCKS -> honest.open(withoutLocks(disk), directory);
            case FORCES_NOTHING -> honest.open(disk(disk, LyingSubject::withoutForce), directory);
            case IGNORES_A_FULL_DISK -> honest.open(disk(disk, LyingSubject::ignoringFullDisk), directory);
            case BREAKS_ON_INTERRUPT -> honest.open(disk(disk, LyingSubject::interruptible), directory);
        };
    }

    private Disk disk(Disk disk, UnaryOperator<DiskFile> files) {
        return proxy(Disk.class, disk, (method, arguments) -> {
            if (method.getName().equals("open")) {
                boolean asOrdered = arguments[1] != OpenMode.DIRECT_SYNC || lie != Lie.FORCES_NOTHING;
                return files.apply(
                        disk.open((Path) arguments[0], asOrdered ? (OpenMode) arguments[1] : OpenMode.READ_WRITE));
            }
            boolean isSkipped = lie == Lie.FORCES_NOTHING && method.getName().equals("forceDirectory");
            return isSkipped ? null : method.invoke(disk, arguments);
        });
    }

    private static DiskFile withoutForce(DiskFile file) {
        return proxy(
                DiskFile.class,
                file,
                (method, arguments) -> method.getName().equals("force") ? null : method.invoke(file, arguments));
    }

    private static DiskFile ignoringFullDisk(DiskFile file) {
        return proxy(DiskFile.class, file, (method, arguments) -> {
            try {
                return method.invoke(file, arguments);
            } catch (InvocationTargetException thrown) {
                if (String.valueOf(thrown.getCause().getMessage()).contains("No space")) {
                    ByteBuffer source = (ByteBuffer) arguments[0];
                    int length = source.remaining();
                    source.position(source.limit());
                    return method.getReturnType() == int.class ? length : null;
                }
                throw thrown;
            }
        });
    }

    private static DiskFile interruptible(DiskFile file) {
        return proxy(DiskFile.class, file, (method, arguments) -> {
            if (method.getName().startsWith("write") && Thread.currentThread().isInterrupted()) {
                throw new ClosedByInterruptException();
            }
            return method.invoke(file, arguments);
        });
    }

    private static Disk withoutLocks(Disk disk) {
        DiskLock nothing = () -> {};
        return proxy(Disk.class, disk, (method, arguments) -> {
            if (!method.getName().equals("tryLock")) {
                return method.invoke(disk, arguments);
            }
            Path file = (Path) arguments[0];
            if (disk.kindOf(file) == Disk.PathKind.MISSING) {
                disk.open(file, OpenMode.CREATE_NEW).close(); // the store looks whether it stays there
            }
            return Optional.of(nothing);
        });
    }

    private static ObjectStore deferringWrites(ObjectStore store) {
        return proxy(ObjectStore.class, store, (method, arguments) -> {
            if (method.getName().equals("write")) {
                store.write((StateKey) arguments[0], (byte[]) arguments[1], Durability.DEFERRED);
                return null;
            }
            return method.invoke(store, arguments);
        });
    }

    /** The code that runs instead of a method. */
    private interface Replacement {
        Object invoke(Method method, Object[] arguments) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, T honest, Replacement instead) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return instead.invoke(method, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                }));
    }

    @Override
    public String toString() {
        return name;
    }
}
