package io.tallystick.testkit.disk;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;

/** Lists the open files of a disk, to find those that a store leaves open. */
public final class OpenFileWatch {
    private final Disk disk;
    private final List<Path> open = new CopyOnWriteArrayList<>();

    /** Watches this disk. */
    public OpenFileWatch(Disk disk) {
        this.disk = disk;
    }

    /** The files that were opened and not closed. */
    public List<Path> open() {
        return List.copyOf(open);
    }

    /** The watched disk, to be used instead of the original one. */
    public Disk disk() {
        return proxy(Disk.class, disk, (method, result) -> method.equals("open") ? watched((DiskFile) result) : result);
    }

    private DiskFile watched(DiskFile file) {
        open.add(file.path());
        boolean[] isClosed = new boolean[1];
        return proxy(DiskFile.class, file, (method, result) -> {
            if (method.equals("close") && !isClosed[0]) {
                isClosed[0] = true;
                open.remove(file.path());
            }
            return result;
        });
    }

    private static <T> T proxy(Class<T> type, T original, BiFunction<String, Object, Object> afterwards) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return afterwards.apply(method.getName(), method.invoke(original, arguments));
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                }));
    }
}
