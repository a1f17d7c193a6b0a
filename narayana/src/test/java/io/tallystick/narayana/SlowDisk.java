package io.tallystick.narayana;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.ForwardingDisk;
import io.tallystick.storage.OpenMode;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A disk whose forces take longer by a given time, from the moment on that it is told so. */
final class SlowDisk extends ForwardingDisk {
    private volatile long moreNanos;

    SlowDisk(Disk disk) {
        super(disk);
    }

    void slowDown(int millis) {
        moreNanos = TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Override
    public DiskFile open(Path path, OpenMode mode) throws IOException {
        DiskFile file = super.open(path, mode);
        return (DiskFile) Proxy.newProxyInstance(
                SlowDisk.class.getClassLoader(), new Class<?>[] {DiskFile.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("force")) {
                        pause();
                    }
                    try {
                        return method.invoke(file, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    private void pause() {
        long until = System.nanoTime() + moreNanos;
        for (long left = moreNanos; left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
