package io.tallystick.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SystemDiskTest {
    @TempDir
    Path directory;

    private final SystemDisk disk = new SystemDisk();

    @Test
    void whatIsWrittenIsReadAtItsPosition() throws IOException {
        try (DiskFile file = create("file")) {
            file.writeFully(bytes("world"), 6);
            file.writeFully(bytes("hello "), 0);
            file.force();

            assertThat(file.size()).isEqualTo(11);
            assertThat(file.path()).isEqualTo(directory.resolve("file"));
            assertThat(read(file, 0, 11)).isEqualTo("hello world");
            assertThat(read(file, 6, 5)).isEqualTo("world");
        }
    }

    @Test
    void readingBeyondTheEndIsToldApartFromReadingNothing() throws IOException {
        try (DiskFile file = create("file")) {
            file.writeFully(bytes("abc"), 0);
            ByteBuffer target = ByteBuffer.allocate(10);

            assertThat(file.read(target, 1)).isEqualTo(2);
            assertThat(file.read(target, 3)).isEqualTo(-1);
            assertThat(file.read(target, 1_000)).isEqualTo(-1);
            assertThat(file.read(ByteBuffer.allocate(0), 0)).isZero();
        }
    }

    @Test
    void truncatingCutsOffAndWhatComesBackIsZeros() throws IOException {
        try (DiskFile file = create("file")) {
            file.writeFully(bytes("abcdef"), 0);
            file.truncate(10);
            assertThat(file.size()).as("a larger size changes nothing").isEqualTo(6);
            file.truncate(2);
            file.writeFully(bytes("z"), 4);

            assertThat(read(file, 0, 5)).isEqualTo("ab\0\0z");
        }
    }

    @Test
    void closedFileRefusesEverythingAndClosesTwice() throws IOException {
        DiskFile file = create("file");
        file.close();
        file.close();

        assertThatThrownBy(() -> file.write(bytes("x"), 0)).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1), 0)).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(file::force).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(file::size).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void fileOpenedToReadIsNotWritten() throws IOException {
        create("file").close();
        try (DiskFile file = disk.open(directory.resolve("file"), OpenMode.READ)) {
            assertThatThrownBy(() -> file.write(bytes("x"), 0)).isInstanceOf(NonWritableChannelException.class);
        }
    }

    @Test
    void creatingWhatExistsIsRefused() throws IOException {
        create("file").close();

        assertThatThrownBy(() -> create("file")).isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> disk.createDirectory(directory.resolve("file")))
                .isInstanceOf(FileAlreadyExistsException.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"READ", "READ_WRITE", "DIRECT_SYNC"})
    void openingWhatIsMissingIsRefused(OpenMode mode) {
        assertThatThrownBy(() -> disk.open(directory.resolve("missing"), mode)).isInstanceOf(NoSuchFileException.class);
        assertThat(directory).isEmptyDirectory();
    }

    @ParameterizedTest
    @EnumSource
    void linkIsFollowedInNoMode(OpenMode mode) throws IOException {
        Path secret = Files.writeString(directory.resolve("secret"), "untouched");
        Path link = Files.createSymbolicLink(directory.resolve("link"), secret);
        Path dangling = Files.createSymbolicLink(directory.resolve("dangling"), directory.resolve("new"));

        assertThatThrownBy(() -> disk.open(link, mode))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(link.toString());
        assertThatThrownBy(() -> disk.open(dangling, mode)).isInstanceOf(IOException.class);
        assertThat(secret).hasContent("untouched");
        assertThat(directory.resolve("new")).doesNotExist();
    }

    @Test
    void linkIsNotLocked() throws IOException {
        Path target = Files.writeString(directory.resolve("target"), "untouched");
        Path link = Files.createSymbolicLink(directory.resolve("link"), target);
        Path dangling = Files.createSymbolicLink(directory.resolve("dangling"), directory.resolve("new"));

        assertThatThrownBy(() -> disk.tryLock(link)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> disk.tryLock(dangling)).isInstanceOf(IOException.class);
        assertThat(directory.resolve("new")).doesNotExist();
        Files.delete(link);
        try (DiskLock lock = disk.tryLock(link).orElseThrow()) {
            assertThat(lock).as("a failed attempt leaves no registration").isNotNull();
        }
    }

    @Test
    void deletingAndRenamingConcernTheLinkAndNotItsTarget() throws IOException {
        Path target = Files.writeString(directory.resolve("target"), "untouched");
        Path link = Files.createSymbolicLink(directory.resolve("link"), target);
        Path file = Files.writeString(directory.resolve("file"), "content");
        disk.rename(file, link);

        assertThat(disk.kindOf(link)).isEqualTo(Disk.PathKind.FILE);
        assertThat(target).hasContent("untouched");
        Path second = Files.createSymbolicLink(directory.resolve("second"), target);
        disk.delete(second);
        assertThat(target).hasContent("untouched");
    }

    @Test
    void kindsAreTold() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        Path link = Files.createSymbolicLink(directory.resolve("link"), file);
        Path dangling = Files.createSymbolicLink(directory.resolve("dangling"), directory.resolve("nowhere"));

        assertThat(disk.kindOf(file)).isEqualTo(Disk.PathKind.FILE);
        assertThat(disk.kindOf(directory)).isEqualTo(Disk.PathKind.DIRECTORY);
        assertThat(disk.kindOf(link)).isEqualTo(Disk.PathKind.LINK);
        assertThat(disk.kindOf(dangling)).isEqualTo(Disk.PathKind.LINK);
        assertThat(disk.kindOf(directory.resolve("none"))).isEqualTo(Disk.PathKind.MISSING);
        assertThat(disk.kindOf(directory.resolve("none/below"))).isEqualTo(Disk.PathKind.MISSING);
        assertThat(disk.kindOf(Path.of("/dev/null"))).isEqualTo(Disk.PathKind.OTHER);
    }

    @Test
    void renamingReplacesInOneStep() throws IOException {
        Path source = Files.writeString(directory.resolve("source"), "new");
        Path target = Files.writeString(directory.resolve("target"), "old");
        disk.rename(source, target);

        assertThat(target).hasContent("new");
        assertThat(source).doesNotExist();
        assertThatThrownBy(() -> disk.rename(source, target)).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void aNewNameReplacesNothing() throws IOException {
        Path source = Files.writeString(directory.resolve("source"), "new");
        Path target = Files.writeString(directory.resolve("target"), "old");
        Path dangling = Files.createSymbolicLink(directory.resolve("dangling"), directory.resolve("nowhere"));

        assertThatThrownBy(() -> disk.renameToNew(source, target)).isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> disk.renameToNew(source, dangling)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(target).hasContent("old");
        disk.renameToNew(source, directory.resolve("free"));
        assertThat(directory.resolve("free")).hasContent("new");
        assertThat(source).doesNotExist();
    }

    @Test
    void deletingTakesFilesAndEmptyDirectories() throws IOException {
        Path below = directory.resolve("below");
        disk.createDirectory(below);
        Path file = Files.writeString(below.resolve("file"), "");

        assertThatThrownBy(() -> disk.delete(below)).isInstanceOf(DirectoryNotEmptyException.class);
        disk.delete(file);
        disk.delete(below);
        assertThat(directory).isEmptyDirectory();
        assertThatThrownBy(() -> disk.delete(below)).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void listingShowsNamesDirectlyInTheDirectory() throws IOException {
        disk.createDirectory(directory.resolve("below"));
        Files.writeString(directory.resolve("below/file"), "");
        Files.writeString(directory.resolve("file"), "");

        assertThat(disk.list(directory))
                .containsExactlyInAnyOrder(directory.resolve("below"), directory.resolve("file"));
        assertThatThrownBy(() -> disk.list(directory.resolve("none"))).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> disk.list(directory.resolve("file"))).isInstanceOf(IOException.class);
    }

    @Test
    void directoriesAreForced() throws IOException {
        assertThatCode(() -> disk.forceDirectory(directory)).doesNotThrowAnyException();
        assertThatThrownBy(() -> disk.forceDirectory(directory.resolve("none")))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void everyWayToADirectoryHasOneRealPath() throws IOException {
        Path below = directory.resolve("below");
        disk.createDirectory(below);
        Path link = Files.createSymbolicLink(directory.resolve("link"), below);

        assertThat(disk.realPath(link)).isEqualTo(disk.realPath(below));
        assertThat(disk.realPath(below.resolve("../link/."))).isEqualTo(disk.realPath(below));
    }

    @Test
    void fileSystemTellsItsTypeRoomAndAlignment() throws IOException {
        assertThat(disk.usableSpace(directory)).isPositive();
        assertThat(disk.fileSystemType(directory)).isNotBlank();
        assertThat(Integer.bitCount(disk.directAlignment(directory))).isEqualTo(1);
        assertThat(disk.size(Files.writeString(directory.resolve("file"), "12345")))
                .isEqualTo(5);
    }

    @Test
    void directFilesAreWrittenAndReadInAlignedPieces() throws IOException {
        int alignment = disk.directAlignment(directory);
        create("file").close();
        try (DiskFile file = openDirectly("file")) {
            ByteBuffer block = ByteBuffer.allocateDirect(2 * alignment)
                    .alignedSlice(alignment)
                    .limit(alignment);
            block.put(0, (byte) 7).put(alignment - 1, (byte) 9);
            assertThat(file.write(block.duplicate(), 0)).isEqualTo(alignment);
            ByteBuffer read = ByteBuffer.allocateDirect(2 * alignment)
                    .alignedSlice(alignment)
                    .limit(alignment);
            file.readFully(read, 0);

            assertThat(read.flip()).isEqualTo(block.rewind());
            assertThatThrownBy(() -> file.write(block.duplicate().limit(100), 0))
                    .isInstanceOf(IOException.class);
        }
    }

    private DiskFile openDirectly(String name) throws IOException {
        try {
            return disk.open(directory.resolve(name), OpenMode.DIRECT_SYNC);
        } catch (IOException | UnsupportedOperationException unsupported) {
            assumeTrue(false, "skipped: the file system of " + directory + " has no O_DIRECT: " + unsupported);
            throw unsupported;
        }
    }

    /** Makes a file, a directory and a lock file, and tells their permissions. */
    static final class PermissionsChild {
        private PermissionsChild() {}

        /** Makes them in the directory that is its argument. */
        public static void main(String[] args) throws IOException {
            SystemDisk disk = new SystemDisk();
            Path directory = Path.of(args[0]);
            disk.createDirectory(directory.resolve("directory"));
            disk.open(directory.resolve("file"), OpenMode.CREATE_NEW).close();
            disk.open(directory.resolve("second-file"), OpenMode.CREATE_NEW).close();
            disk.tryLock(directory.resolve("lock"));
            for (String name : new String[] {"directory", "file", "second-file", "lock"}) {
                System.out.println(name + " "
                        + PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve(name))));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0000", "0022", "0077", "0777"})
    void whateverTheUmaskOnlyTheOwnerHasAccess(String umask) throws Exception {
        try (ChildJvm.Running child =
                ChildJvm.of(PermissionsChild.class).withUmask(umask).start(directory.toString())) {
            assertThat(child.line()).isEqualTo("directory rwx------");
            assertThat(child.line()).isEqualTo("file rw-------");
            assertThat(child.line()).isEqualTo("second-file rw-------");
            assertThat(child.line()).isEqualTo("lock rw-------");
        }
    }

    @Test
    void lockIsHeldByOneUntilItIsClosed() throws IOException {
        Path path = directory.resolve("lock");
        DiskLock lock = disk.tryLock(path).orElseThrow();

        assertThat(disk.tryLock(path)).isEmpty();
        assertThat(new SystemDisk().tryLock(path)).isEmpty();
        assertThat(disk.tryLock(directory.resolve("../" + directory.getFileName() + "/lock")))
                .isEmpty();
        lock.close();
        DiskLock second = disk.tryLock(path).orElseThrow();
        lock.close();
        assertThat(disk.tryLock(path))
                .as("closing the first again does not free the second")
                .isEmpty();
        second.close();
    }

    @Test
    void lockIsHeldThroughALinkToItsDirectory() throws IOException {
        Path below = directory.resolve("below");
        disk.createDirectory(below);
        Path link = Files.createSymbolicLink(directory.resolve("link"), below);
        try (DiskLock lock = disk.tryLock(below.resolve("lock")).orElseThrow()) {
            assertThat(lock).isNotNull();
            assertThat(disk.tryLock(link.resolve("lock"))).isEmpty();
        }
    }

    @Test
    void lockIsHeldAgainstACopyOfThisLibraryInAnotherClassLoader() throws Exception {
        URL classes = SystemDisk.class.getProtectionDomain().getCodeSource().getLocation();
        Path path = directory.resolve("lock");
        try (URLClassLoader loader = new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader())) {
            Class<?> copy = loader.loadClass(SystemDisk.class.getName());
            Object otherDisk = copy.getConstructor().newInstance();
            assertThat(copy).isNotSameAs(SystemDisk.class);
            try (DiskLock lock = disk.tryLock(path).orElseThrow()) {
                assertThat(lock).isNotNull();
                assertThat(tryLock(copy, otherDisk, path)).isEmpty();
            }
            Optional<?> theirs = tryLock(copy, otherDisk, path);
            assertThat(theirs).isPresent();
            assertThat(disk.tryLock(path)).isEmpty();
            ((AutoCloseable) theirs.get()).close();
        }
    }

    private static Optional<?> tryLock(Class<?> type, Object disk, Path path) throws ReflectiveOperationException {
        return (Optional<?>) type.getMethod("tryLock", Path.class).invoke(disk, path);
    }

    @Test
    void interruptedThreadMayLock() throws IOException {
        Thread.currentThread().interrupt();
        Optional<DiskLock> lock;
        boolean interrupted;
        try {
            lock = disk.tryLock(directory.resolve("lock"));
        } finally {
            interrupted = Thread.interrupted();
        }

        assertThat(interrupted).isTrue();
        assertThat(lock).isPresent();
        lock.get().close();
    }

    private DiskFile create(String name) throws IOException {
        return disk.open(directory.resolve(name), OpenMode.CREATE_NEW);
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }

    private static String read(DiskFile file, long position, int length) throws IOException {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) '?');
        file.readFully(ByteBuffer.wrap(bytes), position);
        return new String(bytes, UTF_8);
    }
}
