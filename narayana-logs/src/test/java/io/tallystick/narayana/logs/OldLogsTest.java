package io.tallystick.narayana.logs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tallystick.storage.Disk;
import io.tallystick.storage.ForwardingDisk;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files as Narayana's stores write them, made by hand. OldLogGuardTest, in the tool, has those of Narayana itself. */
class OldLogsTest {
    private static final String ACTION = "StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";
    private static final String STORE = "0d9f4c0e-2a52-4d39-bb33-5c8d1f8e6f11";
    private static final byte[] STATE = {1, 2, 3};

    private final Disk disk = new SystemDisk();

    @TempDir
    private Path directory;

    private List<OldLog> logs(Path... places) {
        return logs(disk, places);
    }

    private static List<OldLog> logs(Disk disk, Path... places) {
        return OldLogs.in(disk, List.of(places), Optional.of(STORE));
    }

    private static String uid(int number) {
        return "0_ffff7f000001_8c2b_6560f5a3_" + Integer.toHexString(number);
    }

    private static Path tree(Path objectStoreDir) {
        return objectStoreDir.resolve("ShadowNoFileLockStore").resolve("defaultStore");
    }

    private static Path put(Path root, String type, int number) throws IOException {
        return Files.write(Files.createDirectories(root.resolve(type)).resolve(uid(number)), STATE);
    }

    @Test
    void nothingIsWhereThereIsNoDirectoryOrAnEmptyOne() {
        assertThat(logs(directory, directory.resolve("missing"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ACTION,
                "StateManager/BasicAction/TwoPhaseCoordinator/ArjunaTransactionImple",
                "StateManager/AbstractRecord/ConnectableResourceRecord",
                "CosTransactions/XAResourceRecord",
                "Resources/Arjuna/OTS",
                "XTS/WSAT/Participant",
                "REST-AT/participant"
            })
    void whatRecoveryActsOnCounts(String type) throws IOException {
        put(tree(directory), type, 1);
        put(tree(directory), type, 2);

        assertThat(logs(directory)).singleElement().satisfies(log -> {
            assertThat(log.transactions()).isEqualTo(2);
            assertThat(log.unreadable()).isEmpty();
            assertThat(log.directory()).isEqualTo(tree(directory));
            assertThat(log).hasToString("2 transactions lie in Narayana's file store, directory=" + tree(directory));
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "EISNAME",
                "Recovery/TransactionStatusManager",
                "Recovery/FactoryContact",
                "RecoveryCoordinator",
                ACTION + "/Expired",
                "StateManager/BasicAction/LongRunningAction/Failed",
                "StateManager/LockManager/Account"
            })
    void whatRecoveryLeavesAloneDoesNotCount(String type) throws IOException {
        put(tree(directory), type, 1);
        assertThat(logs(directory)).isEmpty();
    }

    @Test
    void everyPlaceThatNarayanaMayUseIsSeenOnce() throws IOException {
        put(directory.resolve("HashedStore/one"), "StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction/#17#", 1);
        put(directory.resolve("ActionStore/two"), ACTION, 1);
        put(directory.resolve("defaultStore"), ACTION, 1);
        put(directory, ACTION, 1);

        assertThat(logs(directory, directory, directory.resolve("HashedStore")))
                .extracting(OldLog::directory)
                .containsExactlyInAnyOrder(
                        directory.resolve("HashedStore/one"),
                        directory.resolve("ActionStore/two"),
                        directory.resolve("defaultStore"),
                        directory);
    }

    @Test
    void ourOwnStoreAndStrangersAreLeftOut() throws IOException {
        Path ours = directory.resolve("TallystickObjectStore");
        put(ours, ACTION, 1);
        Files.createFile(ours.resolve("tallystick.store"));
        put(directory.resolve("backup/of/something"), ACTION, 1);

        assertThat(logs(directory)).isEmpty();
    }

    /** As where both were given one directory, or Narayana one below ours. */
    @Test
    void aLogInADirectoryOfOursIsSeenWhereItIsAPlaceOfNarayanas() throws IOException {
        Files.createFile(directory.resolve("tallystick.store"));
        Files.createDirectories(directory.resolve("states/+state+manager"));
        assertThat(logs(directory)).isEmpty();

        put(tree(directory), ACTION, 1);
        put(tree(directory.resolve("narayana")), ACTION, 1);
        assertThat(logs(directory, directory.resolve("narayana")))
                .extracting(OldLog::directory)
                .containsExactly(tree(directory), tree(directory.resolve("narayana")));
    }

    /** The name of a root is localOSRoot, which Narayana puts into the path as it is. */
    @Test
    void aRootWhoseNameHasSlashesIsSeen() throws IOException {
        Path files = directory.resolve("ShadowNoFileLockStore");
        put(files.resolve("nodes/one/log"), ACTION, 1);
        put(files.resolve("nodes/two"), ACTION, 1);
        put(files.resolve("nodes/two/inner"), ACTION, 1);
        Files.createSymbolicLink(files.resolve("nodes/circle"), files.resolve("nodes"));

        assertThat(logs(directory))
                .extracting(OldLog::directory, OldLog::transactions)
                .containsExactlyInAnyOrder(
                        tuple(files.resolve("nodes/one/log"), 1),
                        tuple(files.resolve("nodes/two"), 1),
                        tuple(files.resolve("nodes/two/inner"), 1));
    }

    @Test
    void aTreeIsCountedWithoutAListOfItsFiles() throws IOException {
        put(tree(directory), ACTION, 1);
        put(tree(directory), ACTION, 2);
        Files.write(tree(directory).resolve(ACTION).resolve(uid(2) + "!"), STATE);
        Files.write(tree(directory).resolve(ACTION).resolve(uid(3) + "!"), STATE);
        Disk withoutLists = new ForwardingDisk(disk) {
            @Override
            public List<Path> list(Path path) {
                throw new AssertionError("a list of all paths in " + path);
            }

            @Override
            public void forEach(Path path, PathVisitor visitor) throws IOException {
                disk.forEach(path, visitor);
            }
        };

        assertThat(logs(withoutLists, directory))
                .singleElement()
                .extracting(OldLog::transactions)
                .isEqualTo(3);
    }

    /** The file of PmemSlots has another form than slot.N. */
    @Test
    void slotsInPersistentMemoryAreNotTakenForNothing() throws IOException {
        Path slots = Files.createDirectories(directory.resolve("SlotStore"));
        Files.write(slots.resolve("slotstore.pmem"), STATE);

        assertThat(logs(directory)).singleElement().satisfies(log -> {
            assertThat(log.isOfKnownForm()).isFalse();
            assertThat(log).asString().contains("transactions may lie in", slots.toString(), "persistent memory");
        });
    }

    @Test
    void slotsCountAndATornOneCannotBeRead() throws IOException {
        Path slots = Files.createDirectories(directory.resolve("SlotStore"));
        Files.write(slots.resolve("slot.0"), slot(recordOfSlot("/" + ACTION, 1)));
        Files.write(slots.resolve("slot.1"), new byte[64]);
        assertThat(logs(directory))
                .singleElement()
                .hasToString("1 transaction lies in Narayana's slot store, directory=" + slots);

        byte[] torn = slot(recordOfSlot("/" + ACTION, 2));
        torn[torn.length - 1]++;
        Files.write(slots.resolve("slot.1"), torn);
        assertThat(logs(directory)).singleElement().satisfies(log -> {
            assertThat(log.unreadable()).isPresent();
            assertThat(log.toString())
                    .startsWith("transactions may lie in ")
                    .contains("slot.1")
                    .doesNotContain("1 transaction");
        });
    }

    @Test
    void recordsOfTheJournalCountUntilTheyAreDeletedAndThoseOfAnEarlierUseDoNot() throws IOException {
        Path journal = Files.createDirectories(directory.resolve("HornetqJournalStore"));
        ByteBuffer file = journalFile(7);
        addRecord(file, 11, 7, 1, recordOfJournal("/" + ACTION, 1));
        addRecord(file, 11, 7, 2, recordOfJournal("/" + ACTION, 2));
        addRecord(file, 12, 7, 2, recordOfJournal("/" + ACTION, 2));
        addRecord(file, 11, 7, 3, recordOfJournal("/EISNAME", 3));
        addRecord(file, 16, 7, 1, null);
        addRecord(file, 11, 6, 9, recordOfJournal("/" + ACTION, 9));
        Files.write(journal.resolve("jbossts-1.txlog"), file.array());

        assertThat(logs(directory))
                .singleElement()
                .hasToString("1 transaction lies in Narayana's journal store, directory=" + journal);

        addRecord(file, 16, 7, 2, null);
        Files.write(journal.resolve("jbossts-1.txlog"), file.array());
        assertThat(logs(directory)).isEmpty();
    }

    @Test
    void aDeletionInALaterFileCountsWhateverTheNamesOfTheFiles() throws IOException {
        ByteBuffer first = journalFile(3);
        addRecord(first, 11, 3, 1, recordOfJournal("/" + ACTION, 1));
        ByteBuffer second = journalFile(4);
        addRecord(second, 16, 4, 1, null);
        Files.write(directory.resolve("jbossts-9.txlog"), first.array());
        Files.write(directory.resolve("jbossts-2.txlog"), second.array());

        assertThat(logs(directory)).isEmpty();
    }

    @Test
    void whatIsUnknownInTheJournalIsNotTakenForNothing() throws IOException {
        // The fixed parts behind the head, which is kind, file, compactions and one id, with a body of 5 bytes.
        Map<Integer, ByteBuffer> others = Map.of(
                10, ByteBuffer.allocate(10).putInt(5),
                13, ByteBuffer.allocate(18).putLong(1).putInt(5),
                14, ByteBuffer.allocate(18).putLong(1).putInt(5),
                15, ByteBuffer.allocate(17).putLong(1).putInt(5),
                17, ByteBuffer.allocate(13).putInt(5),
                18, ByteBuffer.allocate(4),
                19, ByteBuffer.allocate(0));
        others.forEach((kind, parts) -> {
            ByteBuffer file = journalFile(7);
            int begin = file.position();
            file.put(kind.byteValue()).putInt(7).put((byte) 0).putLong(1).put(parts.array());
            write("jbossts-1.txlog", file);
            assertThat(logs(directory)).as("the beginning of kind %s", kind).isEmpty();

            file.putInt(file.position() - begin + Integer.BYTES);
            write("jbossts-1.txlog", file);
            assertThat(logs(directory)).singleElement().asString().contains("transactions may lie in", "kind " + kind);
        });

        Files.write(
                directory.resolve("jbossts-1.txlog"),
                journalFile(7).putInt(0, 3).array());
        assertThat(logs(directory)).singleElement().asString().contains("version 3");

        Files.write(directory.resolve("jbossts-1.txlog"), journalFile(7).array());
        assertThat(logs(directory)).isEmpty();
        Files.createFile(directory.resolve("journal-rename-control.ctr"));
        assertThat(logs(directory)).singleElement().asString().contains("compaction");
    }

    @Test
    void whatAMigrationHasMarkedIsNotCountedAndWhatCameLaterIs() throws IOException {
        Path root = tree(directory);
        Path first = put(root, ACTION, 1);
        mark(root);
        assertThat(logs(directory)).isEmpty();

        put(root, ACTION, 2);
        assertThat(logs(directory))
                .singleElement()
                .extracting(OldLog::transactions)
                .isEqualTo(1);

        mark(root);
        assertThat(logs(directory)).isEmpty();
        Files.write(first, new byte[] {9});
        assertThat(logs(directory))
                .singleElement()
                .extracting(OldLog::transactions)
                .isEqualTo(1);
    }

    @Test
    void theMarkOfAnotherStoreCountsForNothingAndTellsItsPlace() throws IOException {
        put(tree(directory), ACTION, 1);
        mark(tree(directory));

        for (Optional<String> store : List.of(Optional.<String>empty(), Optional.of("another"))) {
            assertThat(OldLogs.in(disk, List.of(directory), store))
                    .singleElement()
                    .asString()
                    .startsWith("1 transaction lies in ")
                    .endsWith(", which was migrated to another store, " + directory.resolve("new"));
        }
        assertThat(logs(directory)).isEmpty();
    }

    @Test
    void aMarkWithoutAnIdentityCountsForNothing() throws IOException {
        put(tree(directory), ACTION, 1);
        MigrationMark mark = new MigrationMark();
        new FileTreeSource(disk, tree(directory)).read(mark::add, new Findings());
        mark.write(disk, tree(directory), directory.resolve("never-made"));

        assertThat(OldLogs.in(disk, List.of(directory), Optional.of(""))).hasSize(1);
        assertThat(OldLogs.in(disk, List.of(directory), Optional.empty())).hasSize(1);
    }

    @Test
    void aMarkThatWasCutOffCountsForNothing() throws IOException {
        Path root = tree(directory);
        put(root, ACTION, 1);
        mark(root);
        Path mark = root.resolve(MigrationMark.FILE_NAME);
        String text = Files.readString(mark);
        for (int length : new int[] {0, 10, text.length() - 1}) {
            Files.writeString(mark, text.substring(0, length));
            assertThat(logs(directory)).as("%s bytes", length).hasSize(1);
        }
    }

    /** As where the old log lies on a volume of its own, and Narayana's directory has a link to it. */
    @Test
    void aLogBehindASymbolicLinkIsSeenOnceAndNamedWhereItLies() throws IOException {
        Path volume = Files.createDirectories(directory.resolve("volume"));
        put(volume.resolve("files/defaultStore"), ACTION, 1);
        Path slots = Files.createDirectories(volume.resolve("slots"));
        Files.write(slots.resolve("slot.0"), slot(recordOfSlot("/" + ACTION, 1)));
        Path objectStoreDir = Files.createDirectories(directory.resolve("narayana"));
        Files.createSymbolicLink(objectStoreDir.resolve("ShadowNoFileLockStore"), volume.resolve("files"));
        Files.createSymbolicLink(objectStoreDir.resolve("ActionStore"), volume.resolve("files"));
        Files.createSymbolicLink(objectStoreDir.resolve("SlotStore"), slots);

        assertThat(logs(objectStoreDir, slots))
                .extracting(OldLog::directory)
                .containsExactlyInAnyOrder(volume.resolve("files/defaultStore"), slots);
    }

    @Test
    void aTreeWhoseRootHasALinkInsteadOfADirectoryIsNotTakenForEmpty() throws IOException {
        put(directory.resolve("elsewhere"), ACTION, 1);
        Path root = Files.createDirectories(directory.resolve("narayana"));
        Files.createSymbolicLink(root.resolve("StateManager"), directory.resolve("elsewhere/StateManager"));

        assertThat(logs(root)).singleElement().asString().contains("transactions may lie in", "StateManager");
    }

    /** A link to a volume that is not mounted. */
    @Test
    void aLinkThatLeadsNowhereIsNotTakenForEmpty() throws IOException {
        Files.createSymbolicLink(directory.resolve("ShadowNoFileLockStore"), directory.resolve("not-mounted"));

        assertThat(logs(directory))
                .singleElement()
                .asString()
                .contains("transactions may lie in", "cannot be read", "ShadowNoFileLockStore");
    }

    /** The root of a file system of its own has this directory, which only root may read. */
    @Test
    void theDirectoryOfTheFileSystemsCheckIsNoLog() throws IOException {
        Files.createDirectories(tree(directory).resolve("lost+found"));
        Files.createDirectories(directory.resolve("lost+found"));
        Disk refusing = new ForwardingDisk(disk) {
            @Override
            public void forEach(Path path, PathVisitor visitor) throws IOException {
                check(path);
                super.forEach(path, visitor);
            }

            @Override
            public PathKind kindOf(Path path) throws IOException {
                check(path.getParent());
                return super.kindOf(path);
            }

            private void check(Path path) throws IOException {
                if (path.endsWith("lost+found")) {
                    throw new AccessDeniedException(path.toString());
                }
            }
        };
        assertThat(logs(refusing, directory)).isEmpty();

        put(tree(directory), ACTION, 1);
        assertThat(logs(refusing, directory))
                .singleElement()
                .extracting(OldLog::transactions)
                .isEqualTo(1);
    }

    /** Two of Narayana's stores whose files this module cannot read. */
    @ParameterizedTest
    @ValueSource(strings = {"LogStore", "CacheStore"})
    void aLogThatNobodyCanReadIsNotTakenForEmpty(String storeClass) throws IOException {
        Path root = Files.createDirectories(directory.resolve(storeClass).resolve("defaultStore"));
        assertThat(logs(directory)).isEmpty();

        put(root, ACTION, 1);
        assertThat(logs(directory)).singleElement().asString().contains("transactions may lie in", storeClass);
    }

    @Test
    void theFilesOfTwoJournalsInOneDirectoryDoNotDeleteEachOthersRecords() throws IOException {
        ByteBuffer first = journalFile(3);
        addRecord(first, 11, 3, 1, recordOfJournal("/" + ACTION, 1));
        ByteBuffer second = journalFile(4);
        addRecord(second, 16, 4, 1, null);
        Files.write(directory.resolve("jbossts-1.txlog"), first.array());
        Files.write(directory.resolve("other-1.txlog"), second.array());

        assertThat(logs(directory)).singleElement().asString().contains("transactions may lie in", "other");
    }

    /** As where the old store was used once more after the migration. */
    @Test
    void damageThatCameAfterTheMarkIsNotTakenForNothing() throws IOException {
        Path slots = Files.createDirectories(directory.resolve("SlotStore"));
        byte[] torn = slot(recordOfSlot("/" + ACTION, 1));
        torn[torn.length - 1]++;
        Files.write(slots.resolve("slot.0"), torn);
        mark(new SlotSource(disk, slots), slots);
        assertThat(logs(directory)).as("damage that was there").isEmpty();

        Files.write(slots.resolve("slot.1"), torn);
        assertThat(logs(directory)).singleElement().asString().contains("transactions may lie in", "slot.1");

        mark(new SlotSource(disk, slots), slots);
        assertThat(logs(directory)).isEmpty();
        torn[torn.length - 1]++;
        Files.write(slots.resolve("slot.0"), torn);
        assertThat(logs(directory)).singleElement().asString().contains("transactions may lie in", "slot.0");
    }

    @Test
    void aJournalOfAnUnknownVersionIsNotTakenForEmptyBecauseOfAnEarlierMark() throws IOException {
        Path file = directory.resolve("jbossts-1.txlog");
        ByteBuffer known = journalFile(7);
        addRecord(known, 11, 7, 1, recordOfJournal("/" + ACTION, 1));
        Files.write(file, known.array());
        mark(new JournalScan(disk, directory), directory);
        assertThat(logs(directory)).isEmpty();

        Files.write(file, known.putInt(0, 3).array());
        assertThat(logs(directory)).singleElement().asString().contains("transactions may lie in", "version 3");
    }

    private void mark(Path root) throws IOException {
        mark(new FileTreeSource(disk, root), root);
    }

    private void mark(LogSource source, Path log) throws IOException {
        MigrationMark mark = new MigrationMark();
        source.read(mark::add, new Findings());
        mark.write(disk, log, directory.resolve("new").toString(), STORE);
    }

    private void write(String name, ByteBuffer file) {
        try {
            Files.write(directory.resolve(name), file.array());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static byte[] recordOfSlot(String type, int number) {
        byte[] uid = bytesOfUid(number);
        return new PackedBytes()
                .array(uid)
                .text(type)
                .number(NarayanaValues.COMMITTED)
                .text(type)
                .array(uid)
                .array(STATE)
                .toBytes();
    }

    private static byte[] recordOfJournal(String type, int number) {
        return new PackedBytes()
                .array(bytesOfUid(number))
                .text(type)
                .array(STATE)
                .toBytes();
    }

    private static byte[] bytesOfUid(int number) {
        return NarayanaUid.parse(uid(number), '_').orElseThrow().toBytes();
    }

    private static byte[] slot(byte[] record) {
        return PackedBytes.slot(record, 0);
    }

    private static ByteBuffer journalFile(long id) {
        return ByteBuffer.allocate(4096).putInt(2).putInt(0).putLong(id);
    }

    private static void addRecord(ByteBuffer file, int kind, int fileId, long id, byte[] body) {
        int begin = file.position();
        file.put((byte) kind).putInt(fileId).put((byte) 0).putLong(id);
        if (body != null) {
            file.putInt(body.length).put((byte) 0).put(body);
        }
        file.putInt(file.position() - begin + Integer.BYTES);
    }
}
