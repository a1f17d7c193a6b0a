package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tallystick.storage.StoreDirectoryException.Reason;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreDirectoryTest {
    private static final String KIND = "test-v1";

    @TempDir
    Path root;

    private final SystemDisk disk = new SystemDisk();

    @Test
    void aStoreInABackupIsNotOpenedAndNothingInItChanges() throws IOException {
        Path backup = root.resolve("b1");
        Path store = backup.resolve("store");
        StoreDirectory.take(disk, store, KIND, false).close();
        Path list = backup.resolve(StoreDirectory.BACKUP_FILE);
        Files.writeString(list, StoreDirectory.BACKUP_TITLE + "\n");
        var before = contents(store);

        for (Path refused : List.of(store, backup)) {
            assertThatThrownBy(() -> StoreDirectory.take(disk, refused, KIND, false))
                    .isInstanceOf(StoreDirectoryException.class)
                    .hasMessageContaining("directory=" + refused.toRealPath() + " is, or lies in, the backup "
                            + backup.toRealPath() + "; run 'tallystick restore " + backup.toRealPath() + " DIRECTORY'");
        }
        assertThat(contents(store)).isEqualTo(before);
        Files.delete(list);
        StoreDirectory.take(disk, store, KIND, true).close();
    }

    @Test
    void aBackupThatIsCompletedWhileTheLockIsTakenIsNotOpened() throws IOException {
        Path store = root.resolve("store");
        StoreDirectory.take(disk, store, KIND, false).close();
        Disk completing = new ForwardingDisk(disk) {
            @Override
            public Optional<DiskLock> tryLock(Path file) throws IOException {
                Files.writeString(root.resolve(StoreDirectory.BACKUP_FILE), StoreDirectory.BACKUP_TITLE + "\n");
                return super.tryLock(file);
            }
        };

        assertThatThrownBy(() -> StoreDirectory.take(completing, store, KIND, true))
                .hasMessageContaining("lies in, the backup");
    }

    @Test
    void aFileOfThatNameBesideAStoreIsNoBackup() throws IOException {
        for (String name : List.of("tx", "store")) {
            Path path = root.resolve(name);
            StoreDirectory.take(disk, path, KIND, false).close();
            Files.writeString(root.resolve(StoreDirectory.BACKUP_FILE), "an archive of a person");

            StoreDirectory.take(disk, path, KIND, true).close();
        }
        Files.writeString(root.resolve(StoreDirectory.BACKUP_FILE), StoreDirectory.BACKUP_TITLE + "\n");
        StoreDirectory.take(disk, root.resolve("tx"), KIND, true).close();
    }

    @Test
    void missingDirectoryIsMadeWithItsParents() throws IOException {
        Path path = root.resolve("a/b/c");
        try (StoreDirectory directory = StoreDirectory.take(disk, path, KIND, false)) {
            assertThat(directory.isNew()).isTrue();
            assertThat(directory.path()).isEqualTo(path.toRealPath());
            assertThat(directory.identity().kind()).isEqualTo(KIND);
            assertThat(contents(path))
                    .containsOnlyKeys("tallystick.lock", "tallystick.owner", "tallystick.place", "tallystick.store");
        }
    }

    @Test
    void emptyDirectoryBecomesAStoreAndIsTheSameOneFromThenOn() throws IOException {
        StoreIdentity first;
        try (StoreDirectory directory = StoreDirectory.take(disk, root, KIND, false)) {
            first = directory.identity();
        }
        try (StoreDirectory directory = StoreDirectory.take(disk, root, KIND, true)) {
            assertThat(directory.isNew()).isFalse();
            assertThat(directory.identity()).isEqualTo(first);
        }
    }

    @Test
    void twoStoresHaveTwoIds() throws IOException {
        try (StoreDirectory one = StoreDirectory.take(disk, root.resolve("1"), KIND, false);
                StoreDirectory two = StoreDirectory.take(disk, root.resolve("2"), KIND, false)) {
            assertThat(one.identity().id()).isNotEqualTo(two.identity().id());
            assertThat(one.identity().idBytes())
                    .hasSize(16)
                    .isNotEqualTo(two.identity().idBytes());
        }
    }

    @Test
    void whatAnotherOpenerTriesTheDiskWithIsNoStranger() throws IOException {
        Files.writeString(root.resolve(DiskDevice.PROBE_PREFIX + "3a6db59c"), "");
        try (StoreDirectory directory = StoreDirectory.take(disk, root, KIND, false)) {
            assertThat(directory.isNew()).isTrue();
        }
    }

    @Test
    void leftoversOfACrashInTakingADirectoryAreNoObstacle() throws IOException {
        Files.writeString(root.resolve("tallystick.lock"), "");
        Files.writeString(root.resolve("tallystick.store.tmp"), "half an ident");
        Files.writeString(root.resolve("tallystick.owner.tmp"), "pid=");
        try (StoreDirectory directory = StoreDirectory.take(disk, root, KIND, false)) {
            assertThat(directory.isNew()).isTrue();
            assertThat(contents(root))
                    .containsOnlyKeys("tallystick.lock", "tallystick.owner", "tallystick.place", "tallystick.store");
        }
    }

    @Test
    void ownerFileTellsWhoHasTheDirectory() throws IOException {
        Instant before = Instant.now();
        try (StoreDirectory directory = StoreDirectory.take(disk, root, KIND, false)) {
            List<String> lines = Files.readAllLines(directory.path().resolve("tallystick.owner"));

            assertThat(lines).hasSize(3);
            assertThat(lines.get(0)).isEqualTo("pid=" + ProcessHandle.current().pid());
            assertThat(lines.get(1)).matches("host=\\S+");
            assertThat(Instant.parse(lines.get(2).substring("since=".length()))).isBetween(before, Instant.now());
        }
    }

    /** The owner file decides nothing, and what is there was forced when it was made. */
    @Test
    void takingAStoreThatIsThereForcesNoName() throws IOException {
        StoreDirectory.take(disk, root, KIND, false).close();
        Files.writeString(root.resolve("data"), "of the store");
        List<String> operations = new ArrayList<>();
        StoreDirectory.take(recording(operations), root, KIND, false).close();

        assertThat(operations).containsExactly("rename tallystick.owner.tmp");
    }

    /** The process that made it may have been killed before it forced the name. */
    @Test
    void takingAStoreThatHoldsNothingYetForcesItsName() throws IOException {
        StoreDirectory.take(disk, root, KIND, false).close();
        List<String> operations = new ArrayList<>();
        StoreDirectory.take(recording(operations), root, KIND, false).close();

        assertThat(operations).contains("forceDirectory " + root.toRealPath());
    }

    @Test
    void storesOwnFilesAreToldFromTheDirectorys() {
        assertThat(StoreDirectory.isOwnFile(root.resolve("tallystick.lock"))).isTrue();
        assertThat(StoreDirectory.isOwnFile(root.resolve("tallystick.owner"))).isTrue();
        assertThat(StoreDirectory.isOwnFile(root.resolve("tallystick.store"))).isTrue();
        assertThat(StoreDirectory.isOwnFile(root.resolve("tallystick.place"))).isTrue();
        assertThat(StoreDirectory.isOwnFile(root.resolve("tallystick.place.tmp")))
                .isTrue();
        assertThat(StoreDirectory.isOwnFile(root.resolve("tallystick.store.tmp")))
                .isTrue();
        assertThat(StoreDirectory.isOwnFile(root.resolve("tallystick.owner.tmp")))
                .isTrue();
        assertThat(StoreDirectory.isOwnFile(root.resolve("segment-000001.seg"))).isFalse();
        assertThat(StoreDirectory.isOwnFile(root.resolve("tallystick.lock.old")))
                .isFalse();
    }

    @Test
    void missingDirectoryIsNotMadeWhereAStoreIsExpected() throws IOException {
        assertRefused(
                Reason.UNUSABLE, root.resolve("a/b"), KIND, true, "does not exist, but a store is expected there");
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void emptyDirectoryIsRefusedWhereAStoreIsExpected() throws IOException {
        assertRefused(Reason.UNUSABLE, root, KIND, true, "holds no store, but one is expected there");
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void directoryWithFilesOfSomethingElseIsRefused() throws IOException {
        Files.writeString(root.resolve("precious.txt"), "data");

        assertRefused(Reason.FOREIGN, root, KIND, false, "is not empty and holds no store", "precious.txt");
    }

    @Test
    void directoryOfAnotherKindOfStoreIsRefused() throws IOException {
        StoreDirectory.take(disk, root, "other-v1", false).close();
        Files.writeString(root.resolve("data"), "of the other store");

        assertRefused(Reason.FOREIGN, root, KIND, false, "holds a store of kind other-v1", "of kind test-v1");
    }

    @Test
    void refusalOfAStoreWithoutALockFileLeavesNoLockFile() throws IOException {
        StoreDirectory.take(disk, root, "other-v1", false, Optional.of("a")).close();
        Files.delete(root.resolve("tallystick.lock"));

        assertRefused(Reason.FOREIGN, root, KIND, false, "holds a store of kind other-v1");
        assertThatThrownBy(() -> StoreDirectory.take(disk, root, "other-v1", false, Optional.of("b")))
                .isInstanceOf(StoreDirectoryException.class);
        assertThat(root.resolve("tallystick.lock")).doesNotExist();
    }

    @Test
    void directoriesAreUnmadeWhereNotAllOfThemCanBeMade() throws IOException {
        Path wanted = root.resolve("a/b/" + "x".repeat(300)); // no file system takes such a name

        assertRefused(Reason.UNUSABLE, wanted, KIND, false, "cannot be used");
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void storeBelongsToTheNodeThatMadeIt() throws IOException {
        try (StoreDirectory directory = StoreDirectory.take(disk, root, KIND, false, Optional.of("orders-0"))) {
            assertThat(directory.nodeId()).contains("orders-0");
        }
        SortedMap<String, String> before = contents(root);
        StoreDirectoryException refused = catchThrowableOfType(
                StoreDirectoryException.class,
                () -> StoreDirectory.take(disk, root, KIND, false, Optional.of("orders-1")));

        assertThat(refused.reason()).isEqualTo(Reason.FOREIGN);
        assertThat(refused)
                .hasMessageContainingAll(
                        "belongs to node=orders-0", "node=orders-1", "mount the volume of orders-1", "tallystick.node");
        assertThat(contents(root)).isEqualTo(before);
        StoreDirectory.take(disk, root, KIND, true, Optional.of("orders-0")).close();
    }

    @Test
    void storeOfANodeOpensForWhoeverHasNoNodeId() throws IOException {
        StoreDirectory.take(disk, root, KIND, false, Optional.of("orders-0")).close();
        try (StoreDirectory directory = StoreDirectory.take(disk, root, KIND, true)) {
            assertThat(directory.nodeId()).contains("orders-0");
        }
    }

    @Test
    void storeWithoutANodeGetsOneOnce() throws IOException {
        StoreDirectory.take(disk, root, KIND, false).close();
        assertThat(root.resolve("tallystick.node")).doesNotExist();
        StoreDirectory.take(disk, root, KIND, true, Optional.of("refused")).close();
        assertThat(root.resolve("tallystick.node")).doesNotExist();
        try (StoreDirectory directory = StoreDirectory.take(disk, root, KIND, true, Optional.of("first"))) {
            directory.bind();
        }

        assertThatThrownBy(() -> StoreDirectory.take(disk, root, KIND, true, Optional.of("second")))
                .hasMessageContaining("belongs to node=first");
    }

    @Test
    void everyFlippedBitOfTheNodeFileIsNoticed() throws IOException {
        StoreDirectory.take(disk, root, KIND, false, Optional.of("orders-0")).close();
        Path file = root.resolve("tallystick.node");
        byte[] sound = Files.readAllBytes(file);
        for (int bit = 0; bit < sound.length * 8; bit++) {
            byte[] damaged = sound.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(file, damaged);
            assertThatThrownBy(() -> StoreDirectory.take(disk, root, KIND, true, Optional.of("orders-0")))
                    .as("bit %d", bit)
                    .isInstanceOfSatisfying(StoreDirectoryException.class, refused -> assertThat(refused.reason())
                            .isIn(Reason.CORRUPT, Reason.FOREIGN));
        }
        Files.write(file, sound);
        StoreDirectory.take(disk, root, KIND, true, Optional.of("orders-0")).close();
    }

    @Test
    void nodeFileOfAnotherStoreIsDamage() throws IOException {
        Path other = root.resolve("other");
        Path store = root.resolve("store");
        StoreDirectory.take(disk, other, KIND, false, Optional.of("a")).close();
        StoreDirectory.take(disk, store, KIND, false).close();
        Files.copy(other.resolve("tallystick.node"), store.resolve("tallystick.node"));

        StoreDirectoryException refused = catchThrowableOfType(
                StoreDirectoryException.class, () -> StoreDirectory.take(disk, store, KIND, false, Optional.of("a")));
        assertThat(refused.reason()).isEqualTo(Reason.CORRUPT);
        assertThat(refused).hasMessageContaining("it belongs to the store with id");
        assertThat(refused.damagedFile()).contains(store.toRealPath().resolve("tallystick.node"));
    }

    @Test
    void nodeIdOfAnotherFormIsRefusedBeforeAnythingIsMade() throws IOException {
        for (String bad : List.of("", "two words", "x".repeat(65), "line\nfeed", "\u00e4")) {
            assertThatThrownBy(() -> StoreDirectory.take(disk, root.resolve("new"), KIND, false, Optional.of(bad)))
                    .as(bad)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void lockFileThatSomebodyDeletedIsMissed() throws IOException {
        try (StoreDirectory directory = StoreDirectory.take(disk, root, KIND, false)) {
            assertThat(directory.hasLockFile()).isTrue();
            Files.delete(root.resolve("tallystick.lock"));
            assertThat(directory.hasLockFile()).isFalse();
            assertThat(directory.usableBytes().orElse(0)).isPositive();
        }
    }

    @Test
    void fileIsNoDirectory() throws IOException {
        Path file = Files.writeString(root.resolve("file"), "data");

        assertRefused(Reason.UNUSABLE, file, KIND, false, "is not a directory");
        assertRefused(Reason.UNUSABLE, file.resolve("below"), KIND, false, "cannot be used");
    }

    @Test
    void linkIsRefusedWhateverItPointsTo() throws IOException {
        Path target = Files.createDirectory(root.resolve("target"));
        Path link = Files.createSymbolicLink(root.resolve("link"), target);
        Path dangling = Files.createSymbolicLink(root.resolve("dangling"), root.resolve("nowhere"));

        assertRefused(Reason.UNUSABLE, link, KIND, false, "is a symbolic link");
        assertRefused(Reason.UNUSABLE, dangling, KIND, false, "is a symbolic link");
        assertThat(target).isEmptyDirectory();
    }

    @Test
    void linksOnTheWayAreFollowed() throws IOException {
        Path target = Files.createDirectory(root.resolve("target"));
        Path link = Files.createSymbolicLink(root.resolve("link"), target);
        try (StoreDirectory directory = StoreDirectory.take(disk, link.resolve("store"), KIND, false)) {
            assertThat(directory.path()).isEqualTo(target.toRealPath().resolve("store"));
            assertLocked(target.resolve("store"));
        }
    }

    @Test
    void directoryThatCannotBeMadeIsRefused() {
        assumeTrue(Files.isDirectory(Path.of("/proc/self")), "skipped: there is no /proc, where nothing can be made");

        StoreDirectoryException refused = catchThrowableOfType(
                StoreDirectoryException.class,
                () -> StoreDirectory.take(disk, Path.of("/proc/tallystick/store"), KIND, false));
        assertThat(refused.reason()).isEqualTo(Reason.UNUSABLE);
        assertThat(refused)
                .hasMessageContaining("directory=/proc/tallystick/store cannot be used")
                .hasCauseInstanceOf(IOException.class);
    }

    @Test
    void lockFileThatIsALinkIsRefused() throws IOException {
        Path elsewhere = Files.writeString(root.resolve("elsewhere"), "untouched");
        Path store = Files.createDirectory(root.resolve("store"));
        Files.createSymbolicLink(store.resolve("tallystick.lock"), elsewhere);

        assertRefused(Reason.UNUSABLE, store, KIND, false, "cannot be used");
        assertThat(elsewhere).hasContent("untouched");
    }

    @Test
    void secondOwnerInThisProcessIsToldWhoHasIt() throws IOException {
        try (StoreDirectory directory = StoreDirectory.take(disk, root, KIND, false)) {
            assertLocked(root);
            assertLocked(directory.path().resolve("../" + root.getFileName()));
            assertRefused(
                    Reason.LOCKED,
                    root,
                    KIND,
                    true,
                    "is in use by pid=" + ProcessHandle.current().pid() + " host=",
                    "close that store, or configure another directory");
            assertRefused(Reason.LOCKED, root, "other-v1", false, "is in use by");
        }
        StoreDirectory.take(disk, root, KIND, false).close();
    }

    @Test
    void closingTwiceDoesNotFreeTheNextOwnersLock() throws IOException {
        StoreDirectory first = StoreDirectory.take(disk, root, KIND, false);
        first.close();
        try (StoreDirectory second = StoreDirectory.take(disk, root, KIND, false)) {
            first.close();
            assertThat(second.isNew()).isFalse();
            assertLocked(root);
        }
    }

    @Test
    void refusalLeavesTheDirectoryToTheNextOpener() throws IOException {
        StoreDirectory.take(disk, root, KIND, false).close();
        assertThatThrownBy(() -> StoreDirectory.take(disk, root, "other-v1", false))
                .isInstanceOf(StoreDirectoryException.class);

        StoreDirectory.take(disk, root, KIND, false).close();
    }

    @Test
    void hostileOwnerFileIsShownWithoutControlCharactersAndCut() throws IOException {
        try (StoreDirectory directory = StoreDirectory.take(disk, root, KIND, false)) {
            Files.write(
                    directory.path().resolve("tallystick.owner"),
                    ("pid=1\nhost=\u001b[31mred\u202e\0\n" + "x".repeat(100_000)).getBytes(StandardCharsets.UTF_8));
            StoreDirectoryException locked = assertLocked(root);

            assertThat(locked.getMessage())
                    .contains("pid=1 host=?[31mred??")
                    .doesNotContain("\u001b")
                    .hasSizeLessThan(5_000);
        }
    }

    @Test
    void ownerFileThatIsMissingOrNoFileIsNoObstacleToTheMessage() throws IOException {
        try (StoreDirectory directory = StoreDirectory.take(disk, root, KIND, false)) {
            Path owner = directory.path().resolve("tallystick.owner");
            Files.delete(owner);
            assertThat(assertLocked(root)).hasMessageContaining("an owner without a readable tallystick.owner");
            Files.createDirectory(owner);
            assertThat(assertLocked(root)).hasMessageContaining("an owner without a readable tallystick.owner");
        }
    }

    /** Takes the directory that is its argument, tells so, and keeps it until it is killed. */
    static final class OwnerChild {
        private OwnerChild() {}

        /** Takes and keeps. */
        public static void main(String[] args) throws IOException {
            StoreDirectory directory = StoreDirectory.take(new SystemDisk(), Path.of(args[0]), KIND, false);
            System.out.println("taken new=" + directory.isNew());
            while (System.in.read() >= 0) {
                // kept until the test kills this process or ends
            }
        }
    }

    @Test
    void ownerInAnotherProcessIsNamedAndItsLockEndsWithIt() throws Exception {
        Path path = root.resolve("store");
        try (ChildJvm.Running child =
                ChildJvm.of(OwnerChild.class).withUmask("0022").start(path.toString())) {
            assertThat(child.line()).isEqualTo("taken new=true");
            assertRefused(Reason.LOCKED, path, KIND, false, "is in use by pid=" + child.pid() + " host=");
            child.kill();
        }
        try (StoreDirectory directory = StoreDirectory.take(disk, path, KIND, true)) {
            assertThat(directory.isNew()).isFalse();
            assertThat(directory.path().resolve("tallystick.owner"))
                    .content()
                    .startsWith("pid=" + ProcessHandle.current().pid() + "\n");
        }
    }

    @Test
    void ownerInThisProcessKeepsAnotherProcessOut() throws Exception {
        try (StoreDirectory directory = StoreDirectory.take(disk, root, KIND, false);
                ChildJvm.Running child =
                        ChildJvm.of(OwnerChild.class).withUmask("0022").start(root.toString())) {
            String line = child.line();
            while (line != null && !line.contains("StoreDirectoryException")) {
                line = child.line();
            }
            assertThat(line)
                    .contains("directory=" + directory.path() + " is in use by pid="
                            + ProcessHandle.current().pid());
        }
    }

    @Test
    void everyNameOnTheWayIsForcedBeforeTheIdentityIsWritten() throws IOException {
        List<String> operations = new ArrayList<>();
        StoreDirectory.take(recording(operations), root.resolve("a/b"), KIND, false)
                .close();
        Path real = root.toRealPath();

        assertThat(operations.subList(0, operations.indexOf("rename tallystick.store.tmp")))
                .contains("forceDirectory " + real.resolve("a"), "forceDirectory " + real, "forceDirectory /");
        assertThat(operations.subList(operations.indexOf("rename tallystick.store.tmp"), operations.size()))
                .contains("forceDirectory " + real.resolve("a/b"));
    }

    @Test
    void directoryThatAnEarlierOpenerMadeAndDidNotForceIsForcedToo() throws IOException {
        Files.createDirectories(root.resolve("a/b"));
        List<String> operations = new ArrayList<>();
        StoreDirectory.take(recording(operations), root.resolve("a/b"), KIND, false)
                .close();

        assertThat(operations)
                .contains("forceDirectory " + root.toRealPath().resolve("a"), "forceDirectory " + root.toRealPath());
    }

    /** The disk, with the names of renames and forced directories written down. */
    private Disk recording(List<String> operations) {
        return (Disk) Proxy.newProxyInstance(
                Disk.class.getClassLoader(), new Class<?>[] {Disk.class}, (proxy, method, args) -> {
                    if (method.getName().equals("forceDirectory")) {
                        operations.add("forceDirectory " + ((Path) args[0]).toRealPath());
                    } else if (method.getName().equals("rename")) {
                        operations.add("rename " + ((Path) args[0]).getFileName());
                    }
                    try {
                        return method.invoke(disk, args);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }

    private StoreDirectoryException assertLocked(Path path) throws IOException {
        return assertRefused(Reason.LOCKED, path, KIND, false, "is in use by");
    }

    /** Tries to take the directory, and checks reason, message, and that nothing was changed anywhere. */
    private StoreDirectoryException assertRefused(
            Reason reason, Path path, String kind, boolean expectExisting, String... messages) throws IOException {
        SortedMap<String, String> before = contents(root);
        StoreDirectoryException refused = catchThrowableOfType(
                StoreDirectoryException.class, () -> StoreDirectory.take(disk, path, kind, expectExisting));

        assertThat(refused).as("refusal of %s", path).isNotNull();
        assertThat(refused.reason()).isEqualTo(reason);
        assertThat(refused).hasMessageContaining("directory=").hasMessageContainingAll(messages);
        assertThat(contents(root)).as("nothing was changed").isEqualTo(before);
        return refused;
    }

    private static SortedMap<String, String> contents(Path directory) throws IOException {
        SortedMap<String, String> contents = new TreeMap<>();
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path path : tree.filter(found -> !found.equals(directory)).toList()) {
                boolean isFile = Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
                contents.put(
                        directory.relativize(path).toString(),
                        Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS) + " "
                                + (isFile ? Files.readString(path, StandardCharsets.ISO_8859_1) : "no file"));
            }
        }
        return contents;
    }
}
