package io.tallystick.testkit.disk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.DiskLock;
import io.tallystick.storage.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SimulatedDiskTest {
    private static final Path ROOT = Path.of("/");
    private static final Path DIRECTORY = Path.of("/d");
    private static final Path FILE = Path.of("/d/file");
    private static final int MANY_SEEDS = 400;

    private final SimulatedDisk disk = new SimulatedDisk();

    @BeforeEach
    void makeDirectory() throws IOException {
        disk.createDirectory(DIRECTORY);
        disk.forceDirectory(ROOT);
    }

    @Test
    void contentThatWasForcedSurvivesEveryCrash() throws IOException {
        DiskFile file = durableFile("forced");
        write(file, " and not", 6);

        for (long seed = 0; seed < MANY_SEEDS; seed++) {
            assertThat(new String(disk.crash(seed).contents(FILE), UTF_8)).startsWith("forced");
        }
    }

    @Test
    void contentThatWasNotForcedIsLostInSomeCrashAndKeptInAnother() throws IOException {
        DiskFile file = durableFile("forced");
        write(file, " and not", 6);

        assertThat(contentsAfterCrashes()).contains("forced", "forced and not");
    }

    @Test
    void overwrittenContentIsTheOldOrTheNewOne() throws IOException {
        DiskFile file = durableFile("old");
        write(file, "new", 0);

        assertThat(contentsAfterCrashes()).containsExactlyInAnyOrder("old", "new");
    }

    @Test
    void writesAreTornAtSectorsAndLaterOnesMayBeKeptWithoutEarlierOnes() throws IOException {
        DiskFile file = durableFile("-".repeat(3 * 512));
        write(file, "a".repeat(3 * 512), 0);
        Set<String> found = new TreeSet<>();
        for (String content : contentsAfterCrashes()) {
            for (int sector = 0; sector < 3; sector++) {
                String bytes = content.substring(sector * 512, (sector + 1) * 512);
                assertThat(bytes.chars().distinct().count())
                        .as("a sector is whole")
                        .isEqualTo(1);
            }
            found.add("" + content.charAt(0) + content.charAt(512) + content.charAt(1024));
        }

        assertThat(found).contains("---", "a--", "-a-", "--a", "aa-", "aaa");
    }

    @Test
    void sizeMayArriveBeforeTheData() throws IOException {
        DiskFile file = durableFile("");
        write(file, "x".repeat(1000), 0);

        assertThat(contentsAfterCrashes()).contains("\0".repeat(1000));
    }

    @Test
    void truncationIsLostOrKept() throws IOException {
        durableFile("long content").truncate(4);

        assertThat(contentsAfterCrashes()).containsExactlyInAnyOrder("long", "long content");
    }

    @Test
    void truncationThatWasForcedIsKept() throws IOException {
        DiskFile file = durableFile("long content");
        file.truncate(4);
        file.force();

        assertThat(contentsAfterCrashes()).containsExactly("long");
    }

    @Test
    void whatWasCutOffComesBackAsZeros() throws IOException {
        DiskFile file = durableFile("long content");
        file.truncate(4);
        write(file, "!", 8);

        assertThat(disk.contents(FILE)).isEqualTo("long\0\0\0\0!".getBytes(UTF_8));
    }

    @Test
    void directWriteSurvivesEveryCrashButNotTheBufferedOneBesideIt() throws IOException {
        DiskFile file = durableFile("-".repeat(2 * SimulatedDisk.DIRECT_ALIGNMENT));
        write(file, "b", SimulatedDisk.DIRECT_ALIGNMENT);
        try (DiskFile direct = disk.open(FILE, OpenMode.DIRECT_SYNC)) {
            write(direct, "d".repeat(SimulatedDisk.DIRECT_ALIGNMENT), 0);
        }
        Set<String> found = new TreeSet<>();
        contentsAfterCrashes()
                .forEach(content -> found.add("" + content.charAt(0) + content.charAt(SimulatedDisk.DIRECT_ALIGNMENT)));

        assertThat(found).containsExactly("d-", "db");
    }

    @Test
    void directWriteMustBeAligned() throws IOException {
        durableFile("-".repeat(SimulatedDisk.DIRECT_ALIGNMENT));
        try (DiskFile direct = disk.open(FILE, OpenMode.DIRECT_SYNC)) {
            assertThatThrownBy(() -> write(direct, "d", 0)).hasMessageContaining("Invalid argument");
            assertThatThrownBy(() -> write(direct, "d".repeat(SimulatedDisk.DIRECT_ALIGNMENT), 512))
                    .hasMessageContaining("Invalid argument");
        }
    }

    @Test
    void directWriteInWhichTheDiskDiesMayBeTorn() throws IOException {
        durableFile("-".repeat(SimulatedDisk.DIRECT_ALIGNMENT));
        DiskFile direct = disk.open(FILE, OpenMode.DIRECT_SYNC);
        disk.crashAt(disk.operations() + 1);

        assertThatThrownBy(() -> write(direct, "d".repeat(SimulatedDisk.DIRECT_ALIGNMENT), 0))
                .isInstanceOf(IOException.class);
        assertThat(contentsAfterCrashes()).hasSizeGreaterThan(5);
    }

    @Test
    void newNameIsLostOrKept() throws IOException {
        try (DiskFile file = disk.open(FILE, OpenMode.CREATE_NEW)) {
            write(file, "content", 0);
            file.force();
        }

        assertThat(kindsAfterCrashes(FILE)).containsExactlyInAnyOrder(Disk.PathKind.FILE, Disk.PathKind.MISSING);
    }

    @Test
    void deletedNameIsLostOrKept() throws IOException {
        durableFile("content");
        disk.delete(FILE);

        assertThat(kindsAfterCrashes(FILE)).containsExactlyInAnyOrder(Disk.PathKind.FILE, Disk.PathKind.MISSING);
    }

    @Test
    void deletedNameThatWasForcedIsGone() throws IOException {
        durableFile("content");
        disk.delete(FILE);
        disk.forceDirectory(DIRECTORY);

        assertThat(kindsAfterCrashes(FILE)).containsExactly(Disk.PathKind.MISSING);
    }

    @Test
    void renamedFileHasOneOfItsNamesAndNeverBothOrNone() throws IOException {
        durableFile("content");
        Path other = DIRECTORY.resolve("other");
        disk.rename(FILE, other);
        Set<String> found = new TreeSet<>();
        for (long seed = 0; seed < MANY_SEEDS; seed++) {
            SimulatedDisk crashed = disk.crash(seed);
            found.add(crashed.kindOf(FILE) + " " + crashed.kindOf(other));
        }

        assertThat(found).containsExactly("FILE MISSING", "MISSING FILE");
    }

    @Test
    void replacingRenameLeavesTheOldFileOrTheNewOne() throws IOException {
        durableFile("old");
        Path temporary = DIRECTORY.resolve("temporary");
        try (DiskFile file = disk.open(temporary, OpenMode.CREATE_NEW)) {
            write(file, "new", 0);
            file.force();
        }
        disk.rename(temporary, FILE);

        assertThat(contentsAfterCrashes()).containsExactlyInAnyOrder("old", "new");
    }

    @Test
    void replacingRenameBeforeTheForceMayLeaveAnEmptyFile() throws IOException {
        durableFile("old");
        Path temporary = DIRECTORY.resolve("temporary");
        try (DiskFile file = disk.open(temporary, OpenMode.CREATE_NEW)) {
            write(file, "new", 0);
        }
        disk.rename(temporary, FILE);
        disk.forceDirectory(DIRECTORY);

        assertThat(contentsAfterCrashes()).contains("", "new").doesNotContain("old");
    }

    @Test
    void namesAreLostInAnyCombinationAcrossFiles() throws IOException {
        for (String name : new String[] {"1", "2", "3"}) {
            disk.open(DIRECTORY.resolve(name), OpenMode.CREATE_NEW).close();
        }
        Set<String> found = new TreeSet<>();
        for (long seed = 0; seed < MANY_SEEDS; seed++) {
            TreeSet<String> names = new TreeSet<>();
            disk.crash(seed)
                    .list(DIRECTORY)
                    .forEach(path -> names.add(path.getFileName().toString()));
            found.add(names.toString());
        }

        assertThat(found).hasSize(8);
    }

    @Test
    void directoryThatIsLostTakesEverythingWithIt() throws IOException {
        Path below = DIRECTORY.resolve("below");
        disk.createDirectory(below);
        try (DiskFile file = disk.open(below.resolve("file"), OpenMode.CREATE_NEW)) {
            write(file, "content", 0);
            file.force();
        }
        disk.forceDirectory(below);

        assertThat(kindsAfterCrashes(below.resolve("file")))
                .containsExactlyInAnyOrder(Disk.PathKind.FILE, Disk.PathKind.MISSING);
    }

    @Test
    void seedMeansTheSameDamageEveryTime() throws IOException {
        DiskFile file = durableFile("-".repeat(8 * 512));
        write(file, "x".repeat(8 * 512), 0);

        for (long seed = 0; seed < 50; seed++) {
            assertThat(disk.crash(seed).contents(FILE))
                    .isEqualTo(disk.crash(seed).contents(FILE));
        }
    }

    @Test
    void diskDiesDuringTheOperationAndStaysDead() throws IOException {
        DiskFile file = durableFile("content");
        disk.crashAt(disk.operations() + 2);
        write(file, "x", 0);

        assertThatThrownBy(file::force).isInstanceOf(IOException.class).hasMessageContaining("force file=/d/file");
        assertThat(disk.crashedDuring()).contains("force file=/d/file");
        assertThatThrownBy(() -> write(file, "y", 0)).hasMessageContaining("crashed");
        assertThatThrownBy(() -> disk.list(DIRECTORY)).hasMessageContaining("crashed");
        assertThatThrownBy(() -> disk.tryLock(FILE)).hasMessageContaining("crashed");
        assertThatCode(file::close).doesNotThrowAnyException();
        assertThat(contentsAfterCrashes()).containsExactlyInAnyOrder("content", "xontent");
    }

    @Test
    void operationThatIsPastCannotBeTheCrash() {
        assertThatThrownBy(() -> disk.crashAt(1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void killLosesLocksButNoContentUntilTheCrash() throws IOException {
        DiskFile file = durableFile("forced");
        assertThat(disk.tryLock(DIRECTORY.resolve("lock"))).isPresent();
        write(file, "FORCED", 0);
        SimulatedDisk killed = disk.kill();

        assertThat(new String(killed.contents(FILE), UTF_8)).isEqualTo("FORCED");
        assertThat(killed.tryLock(DIRECTORY.resolve("lock"))).isPresent();
        assertThatThrownBy(() -> disk.size(FILE)).hasMessageContaining("crashed");
        assertThat(new String(killed.crash(0).contents(FILE), UTF_8)).isEqualTo("forced");
    }

    @Test
    void lockIsHeldByOneAndFreeAfterClosingAndAfterACrash() throws IOException {
        Path path = DIRECTORY.resolve("lock");
        Optional<DiskLock> lock = disk.tryLock(path);
        assertThat(disk.tryLock(path)).isEmpty();
        lock.orElseThrow().close();
        lock.orElseThrow().close();

        Optional<DiskLock> second = disk.tryLock(path);
        assertThat(second).isPresent();
        lock.orElseThrow().close();
        assertThat(disk.tryLock(path)).isEmpty();
        assertThat(disk.crash(1).tryLock(path)).isPresent();
    }

    @Test
    void failedForceLosesWhatItShouldHaveForcedAndALaterOneDoesNotBringItBack() throws IOException {
        DiskFile file = durableFile("old");
        write(file, "new", 0);
        disk.failNextForce();

        assertThatThrownBy(file::force).hasMessageContaining(DiskFault.EIO);
        file.force();
        write(file, "!", 3);
        file.force();
        assertThat(new String(disk.contents(FILE), UTF_8)).isEqualTo("new!");
        assertThat(contentsAfterCrashes()).containsExactly("old!");
    }

    @Test
    void whatAFailedForceLostIsReadFromThePageCacheAndNotFromTheDisk() throws IOException {
        DiskFile file = durableFile("o".repeat(SimulatedDisk.DIRECT_ALIGNMENT));
        write(file, "new", 0);
        disk.failNextForce();
        assertThatThrownBy(file::force).hasMessageContaining(DiskFault.EIO);
        DiskFile direct = disk.open(FILE, OpenMode.DIRECT_SYNC);
        ByteBuffer read = ByteBuffer.allocateDirect(SimulatedDisk.DIRECT_ALIGNMENT);

        direct.readFully(read, 0);
        assertThat(read.get(0)).isEqualTo((byte) 'o');
        assertThat(new String(disk.contents(FILE), 0, 3, UTF_8)).isEqualTo("new");

        write(file, "new", 0);
        direct.readFully(read.clear(), 0);
        assertThat(read.get(0)).isEqualTo((byte) 'n');
        file.force();
        assertThat(new String(disk.crash(0).contents(FILE), 0, 3, UTF_8)).isEqualTo("new");
    }

    @Test
    void failedForceOfADirectoryLosesItsNamesAndALaterOneDoesNotBringThemBack() throws IOException {
        durableFile("content");
        disk.open(Path.of("/d/created"), OpenMode.CREATE_NEW).close();
        disk.delete(FILE);
        disk.failNextDirectoryForce(false);

        assertThatThrownBy(() -> disk.forceDirectory(DIRECTORY)).hasMessageContaining(DiskFault.EIO);
        assertThat(disk.list(DIRECTORY)).containsExactly(Path.of("/d/created"));
        disk.forceDirectory(DIRECTORY);

        for (long seed = 0; seed < 10; seed++) {
            assertThat(disk.crash(seed).list(DIRECTORY)).containsExactly(FILE);
        }
    }

    @Test
    void namesThatAFailedForceLosesMayBeGoneAtOnceAndOthersAreNot() throws IOException {
        durableFile("content");
        Path other = Path.of("/other");
        Path renamed = Path.of("/d/renamed");
        disk.open(other, OpenMode.CREATE_NEW).close();
        disk.rename(FILE, renamed);
        disk.failNextDirectoryForce(true);

        assertThatThrownBy(() -> disk.forceDirectory(DIRECTORY)).hasMessageContaining(DiskFault.EIO);

        assertThat(disk.list(DIRECTORY)).containsExactly(FILE);
        assertThat(new String(disk.contents(FILE), UTF_8)).isEqualTo("content");
        assertThat(disk.kindOf(other)).isEqualTo(Disk.PathKind.FILE);
        disk.forceDirectory(ROOT);
        assertThat(disk.crash(0).kindOf(other)).isEqualTo(Disk.PathKind.FILE);
    }

    @Test
    void errorOfTheSystemIsToldToTheFirstForceOnlyAlthoughTheBytesAreGone() throws IOException {
        DiskFile first = durableFile("old");
        DiskFile second = disk.open(FILE, OpenMode.READ_WRITE);
        disk.failNextWriteback(WritebackReport.FIRST_FORCE, false);
        write(first, "new", 0);

        assertThatThrownBy(second::force).hasMessageContaining(DiskFault.EIO);
        first.force();
        second.force();
        assertThat(new String(disk.contents(FILE), UTF_8)).isEqualTo("new");
        assertThat(contentsAfterCrashes()).containsExactly("old");
    }

    @Test
    void errorOfTheSystemIsToldOnceToEachDescriptorThatWasOpen() throws IOException {
        DiskFile first = durableFile("old");
        DiskFile second = disk.open(FILE, OpenMode.READ_WRITE);
        disk.failNextWriteback(WritebackReport.EACH_DESCRIPTOR, false);
        write(first, "new", 0);

        assertThatThrownBy(first::force).hasMessageContaining(DiskFault.EIO);
        first.force();
        DiskFile later = disk.open(FILE, OpenMode.READ_WRITE);
        later.force();
        assertThatThrownBy(second::force).hasMessageContaining(DiskFault.EIO);
        second.force();
        assertThat(contentsAfterCrashes()).containsExactly("old");
    }

    @Test
    void errorOfTheSystemThatNoDescriptorWasToldIsToldToOneThatIsOpenedLater() throws IOException {
        DiskFile first = durableFile("old");
        disk.failNextWriteback(WritebackReport.EACH_DESCRIPTOR, false);
        write(first, "new", 0);
        first.close();
        DiskFile later = disk.open(FILE, OpenMode.READ);

        assertThatThrownBy(later::force).hasMessageContaining(DiskFault.EIO);
        disk.open(FILE, OpenMode.READ).force();
    }

    @Test
    void errorOfTheSystemIsToldToADirectWriteToo() throws IOException {
        DiskFile file = durableFile("-".repeat(SimulatedDisk.DIRECT_ALIGNMENT));
        DiskFile direct = disk.open(FILE, OpenMode.DIRECT_SYNC);
        disk.failNextWriteback(WritebackReport.EACH_DESCRIPTOR, false);
        write(file, "new", SimulatedDisk.DIRECT_ALIGNMENT);
        String block = "d".repeat(SimulatedDisk.DIRECT_ALIGNMENT);

        assertThatThrownBy(() -> write(direct, block, 0)).hasMessageContaining(DiskFault.EIO);
        write(direct, block, 0);
    }

    @Test
    void pagesThatTheSystemDropsShowWhatIsOnDisk() throws IOException {
        DiskFile file = durableFile("old");
        write(file, "forced", 0);
        file.force();
        write(file, "FO", 0);
        disk.failNextWriteback(WritebackReport.FIRST_FORCE, true);
        write(file, "ED and more", 4);

        assertThat(new String(disk.contents(FILE), UTF_8)).isEqualTo("forced");
        assertThatThrownBy(file::force).hasMessageContaining(DiskFault.EIO);
    }

    @Test
    void directWriteIsOnDiskAndNoErrorOfTheSystemConcernsIt() throws IOException {
        durableFile("-".repeat(SimulatedDisk.DIRECT_ALIGNMENT));
        DiskFile direct = disk.open(FILE, OpenMode.DIRECT_SYNC);
        disk.failNextWriteback(WritebackReport.EACH_DESCRIPTOR, true);
        write(direct, "d".repeat(SimulatedDisk.DIRECT_ALIGNMENT), 0);
        direct.force();

        assertThat(contentsAfterCrashes()).containsExactly("d".repeat(SimulatedDisk.DIRECT_ALIGNMENT));
    }

    @Test
    void sectorThatCannotBeReadIsReadableAfterItWasWrittenAndNotAfterACrash() throws IOException {
        DiskFile file = durableFile("-".repeat(3 * 512));
        disk.failReads(FILE, 700, 1);

        assertThat(file.read(ByteBuffer.allocate(512), 0)).isEqualTo(512);
        assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1024), 0)).hasMessageContaining(DiskFault.EIO);
        assertThat(file.read(ByteBuffer.allocate(512), 1024)).isEqualTo(512);
        write(file, "a part", 512);
        assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1), 512)).hasMessageContaining(DiskFault.EIO);
        try (DiskFile crashed = disk.crash(1).open(FILE, OpenMode.READ)) {
            assertThatThrownBy(() -> crashed.read(ByteBuffer.allocate(1), 1000)).hasMessageContaining(DiskFault.EIO);
        }
    }

    @Test
    void sectorThatWasWrittenAsAWholeCanBeRead() throws IOException {
        DiskFile file = durableFile("-".repeat(3 * 512));
        disk.failNextRead();
        assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1), 512)).hasMessageContaining(DiskFault.EIO);

        write(file, "x".repeat(512), 512);

        assertThat(file.read(ByteBuffer.allocate(3 * 512), 0)).isEqualTo(3 * 512);
    }

    @Test
    void readsThatWereHealedShowTheContent() throws IOException {
        DiskFile file = durableFile("content");
        disk.failReads(FILE, 0, 7);
        disk.healReads();

        assertThat(file.read(ByteBuffer.allocate(7), 0)).isEqualTo(7);
    }

    @Test
    void bufferedReadSeesOldBytesForAWhileAfterADirectWriteAndADirectReadDoesNot() throws IOException {
        int block = SimulatedDisk.DIRECT_ALIGNMENT;
        DiskFile file = durableFile("-".repeat(2 * block));
        DiskFile direct = disk.open(FILE, OpenMode.DIRECT_SYNC);
        disk.delayPageCache(2);
        write(direct, "d".repeat(block), block);

        assertThat(bytes(direct, block, block)).isEqualTo("d".repeat(block));
        assertThat(bytes(file, block - 1, 2)).isEqualTo("--");
        assertThat(bytes(file, 0, 10)).isEqualTo("-".repeat(10));
        assertThat(bytes(file, 2 * block - 2, 2)).isEqualTo("--");
        assertThat(bytes(file, block - 1, 2)).isEqualTo("-d");
    }

    @Test
    void aCrashMakesThePageCacheAndTheDiskAgree() throws IOException {
        int block = SimulatedDisk.DIRECT_ALIGNMENT;
        DiskFile file = durableFile("-".repeat(block));
        DiskFile direct = disk.open(FILE, OpenMode.DIRECT_SYNC);
        disk.delayPageCache(100);
        write(direct, "d".repeat(block), 0);

        try (DiskFile crashed = disk.crash(0).open(FILE, OpenMode.READ)) {
            assertThat(bytes(crashed, 0, 1)).isEqualTo("d");
        }
    }

    @Test
    void aKillDoesNotMakeThePageCacheAgree() throws IOException {
        int block = SimulatedDisk.DIRECT_ALIGNMENT;
        durableFile("-".repeat(block));
        disk.delayPageCache(100);
        write(disk.open(FILE, OpenMode.DIRECT_SYNC), "d".repeat(block), 0);

        SimulatedDisk killed = disk.kill();
        try (DiskFile next = killed.open(FILE, OpenMode.READ)) {
            assertThat(bytes(next, 0, 2)).isEqualTo("--");
            killed.healReads();
            assertThat(bytes(next, 0, 2)).isEqualTo("dd");
        }
    }

    @Test
    void aWriteThroughThePageCacheMakesItAgree() throws IOException {
        int block = SimulatedDisk.DIRECT_ALIGNMENT;
        DiskFile file = durableFile("-".repeat(block));
        disk.delayPageCache(100);
        write(disk.open(FILE, OpenMode.DIRECT_SYNC), "d".repeat(block), 0);
        write(file, "b", 1);

        assertThat(bytes(file, 0, 3)).isEqualTo("dbd");
    }

    @Test
    void aSectorOfFourKibibytesIsTornInside() throws IOException {
        int sector = 4096;
        durableFile("-".repeat(sector));
        DiskFile direct = disk.open(FILE, OpenMode.DIRECT_SYNC);
        disk.crashAt(disk.operations() + 1);
        assertThatThrownBy(() -> write(direct, "d".repeat(sector), 0)).isInstanceOf(IOException.class);
        Set<String> pieces = new TreeSet<>();
        for (String content : contentsAfterCrashes()) {
            StringBuilder found = new StringBuilder();
            for (int at = 0; at < sector; at += 512) {
                assertThat(content.substring(at, at + 512).chars().distinct().count())
                        .isEqualTo(1);
                found.append(content.charAt(at));
            }
            pieces.add(found.toString());
        }

        assertThat(pieces)
                .contains("--------", "dddddddd", "d-------")
                .anyMatch(found -> found.matches("-.*d.*-.*d.*"));
    }

    @Test
    void userWithAQuotaIsRefusedAlthoughTheDiskHasRoom() throws IOException {
        DiskFile file = durableFile("12345");
        disk.setQuota(8, 4);

        assertThat(file.write(ByteBuffer.wrap(new byte[5]), 5)).isEqualTo(3);
        assertThatThrownBy(() -> file.write(ByteBuffer.wrap(new byte[5]), 8)).hasMessageContaining(DiskFault.EDQUOT);
        assertThat(disk.usableSpace(DIRECTORY)).isGreaterThan(1_000_000);
        disk.open(DIRECTORY.resolve("third"), OpenMode.CREATE_NEW).close();
        disk.createDirectory(DIRECTORY.resolve("fourth"));
        assertThatThrownBy(() -> disk.open(DIRECTORY.resolve("fifth"), OpenMode.CREATE_NEW))
                .hasMessageContaining(DiskFault.EDQUOT);
        assertThatThrownBy(() -> disk.createDirectory(DIRECTORY.resolve("fifth")))
                .hasMessageContaining(DiskFault.EDQUOT);
        assertThatThrownBy(() -> disk.tryLock(DIRECTORY.resolve("fifth"))).hasMessageContaining(DiskFault.EDQUOT);
        disk.rename(FILE, DIRECTORY.resolve("fifth"));
        disk.delete(DIRECTORY.resolve("third"));
        disk.open(DIRECTORY.resolve("sixth"), OpenMode.CREATE_NEW).close();
    }

    @Test
    void fullDiskTakesWhatFitsAndThenNothingUntilThereIsRoom() throws IOException {
        DiskFile file = durableFile("12345");
        disk.setCapacity(8);

        assertThat(disk.usableSpace(DIRECTORY)).isEqualTo(3);
        assertThat(file.write(ByteBuffer.wrap(new byte[5]), 5)).isEqualTo(3);
        assertThatThrownBy(() -> file.write(ByteBuffer.wrap(new byte[5]), 8)).hasMessageContaining(DiskFault.ENOSPC);
        assertThat(file.write(ByteBuffer.wrap(new byte[8]), 0)).as("in place").isEqualTo(8);
        file.truncate(0);
        assertThat(file.write(ByteBuffer.wrap(new byte[5]), 0)).isEqualTo(5);
    }

    @Test
    void linkIsSeenAsALinkAndNotOpened() throws IOException {
        durableFile("content");
        Path link = DIRECTORY.resolve("link");
        disk.createLink(link, FILE);

        assertThat(disk.kindOf(link)).isEqualTo(Disk.PathKind.LINK);
        assertThatThrownBy(() -> disk.open(link, OpenMode.READ)).isInstanceOf(FileSystemException.class);
        assertThat(disk.realPath(link)).isEqualTo(FILE);
    }

    @Test
    void pathThroughALinkIsTheSamePath() throws IOException {
        durableFile("content");
        disk.createLink(Path.of("/way"), Path.of("d"));

        assertThat(disk.realPath(Path.of("/way/file"))).isEqualTo(FILE);
        assertThat(disk.realPath(Path.of("/way/../d/./file"))).isEqualTo(FILE);
        assertThat(disk.size(Path.of("/way/file"))).isEqualTo(7);
    }

    @Test
    void linkToItselfIsAnErrorAndNotAnEndlessLoop() throws IOException {
        disk.createLink(Path.of("/loop"), Path.of("loop"));

        assertThatThrownBy(() -> disk.realPath(Path.of("/loop/x")))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("symbolic links");
    }

    @Test
    void deniedDirectoryIsDeniedWithAllBelow() throws IOException {
        durableFile("content");
        disk.denyAccess(DIRECTORY);

        assertThatThrownBy(() -> disk.list(DIRECTORY)).isInstanceOf(AccessDeniedException.class);
        assertThatThrownBy(() -> disk.open(FILE, OpenMode.READ)).isInstanceOf(AccessDeniedException.class);
    }

    @Test
    void replacedContentsAreDurable() throws IOException {
        durableFile("content");
        disk.replaceContents(FILE, "rot".getBytes(UTF_8));

        assertThat(contentsAfterCrashes()).containsExactly("rot");
        assertThatThrownBy(() -> disk.crash(0).replaceContents(Path.of("/d/none"), new byte[0]))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void closedFileAndReadOnlyFileRefuse() throws IOException {
        durableFile("content").close();
        DiskFile file = disk.open(FILE, OpenMode.READ);

        assertThatThrownBy(() -> write(file, "x", 0)).isInstanceOf(NonWritableChannelException.class);
        file.close();
        assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1), 0)).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(file::size).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void largeSparseFileCostsNoMemory() throws IOException {
        DiskFile file = durableFile("");
        write(file, "end", 1_000_000_000);
        byte[] end = new byte[5];
        file.readFully(ByteBuffer.wrap(end), 999_999_998);

        assertThat(new String(end, UTF_8)).isEqualTo("\0\0end");
        assertThat(file.size()).isEqualTo(1_000_000_003);
    }

    private DiskFile durableFile(String content) throws IOException {
        DiskFile file = disk.open(FILE, OpenMode.CREATE_NEW);
        disk.forceDirectory(DIRECTORY);
        write(file, content, 0);
        file.force();
        return file;
    }

    private static void write(DiskFile file, String content, long position) throws IOException {
        file.writeFully(ByteBuffer.wrap(content.getBytes(UTF_8)), position);
    }

    private Set<Disk.PathKind> kindsAfterCrashes(Path path) throws IOException {
        Set<Disk.PathKind> kinds = new TreeSet<>();
        for (long seed = 0; seed < MANY_SEEDS; seed++) {
            kinds.add(disk.crash(seed).kindOf(path));
        }
        return kinds;
    }

    private static String bytes(DiskFile file, long position, int length) throws IOException {
        ByteBuffer read = ByteBuffer.allocate(length);
        file.readFully(read, position);
        return new String(read.array(), UTF_8);
    }

    private Set<String> contentsAfterCrashes() throws IOException {
        Set<String> contents = new TreeSet<>();
        for (long seed = 0; seed < MANY_SEEDS; seed++) {
            contents.add(new String(disk.crash(seed).contents(FILE), UTF_8));
        }
        return contents;
    }
}
