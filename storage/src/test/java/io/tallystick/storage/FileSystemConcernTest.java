package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a log should not lie, one warning says so. */
class FileSystemConcernTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({
        "tmpfs, TALLY0101",
        "ramfs, TALLY0101",
        "overlay, TALLY0102",
        "aufs, TALLY0102",
        "nfs4, TALLY0103",
        "NFS, TALLY0103",
        "cifs, TALLY0103",
        "9p, TALLY0103",
        "virtiofs, TALLY0103",
        "fuse.sshfs, TALLY0103",
        "fuse, TALLY0103",
        "unc, TALLY0103",
        "drvfs, TALLY0103",
        "prl_fs, TALLY0103",
        "fakeowner, TALLY0103",
        "afpfs, TALLY0103",
        "webdav, TALLY0103",
        "macfuse, TALLY0103",
        "osxfuse, TALLY0103"
    })
    void openingThereIsWarnedOfOnce(String type, String messageId) throws Exception {
        assertThat(warningsOfTaking(type))
                .singleElement()
                .asString()
                .startsWith(messageId + " directory=" + directory.toRealPath() + " lies on " + type + ", ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs", "btrfs", "zfs", "apfs", "NTFS", "something-of-tomorrow", ""})
    void diskAndWhatIsNotKnownAreNoConcern(String type) throws Exception {
        assertThat(warningsOfTaking(type)).isEmpty();
    }

    @Test
    void typeThatCannotBeFoundOutIsNoConcern() throws Exception {
        assertThat(warningsOfTaking(null)).isEmpty();
    }

    private List<String> warningsOfTaking(String type) throws Exception {
        List<String> messages = new ArrayList<>();
        Handler collecting = new Handler() {
            @Override
            public void publish(LogRecord record) {
                messages.add(record.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(StoreDirectory.class.getName());
        logger.addHandler(collecting);
        logger.setUseParentHandlers(false);
        try {
            StoreDirectory.take(diskOfType(type), directory, "test-v1", false).close();
        } finally {
            logger.setUseParentHandlers(true);
            logger.removeHandler(collecting);
        }
        return messages;
    }

    private static Disk diskOfType(String type) {
        SystemDisk disk = new SystemDisk();
        return (Disk) Proxy.newProxyInstance(
                Disk.class.getClassLoader(), new Class<?>[] {Disk.class}, (proxy, method, args) -> {
                    if (method.getName().equals("fileSystemType")) {
                        if (type == null) {
                            throw new FileSystemException("mount point not found");
                        }
                        return type;
                    }
                    try {
                        return method.invoke(disk, args);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }
}
