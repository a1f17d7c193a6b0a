package io.tallystick.tool.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import com.eclipsesource.json.JsonObject;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StoreInspectors;
import io.tallystick.tool.TestStores;
import io.tallystick.tool.ToolRun;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@code verify}, {@code repair}, {@code quarantine}, {@code compact}, {@code backup} and {@code restore}, as a user
 * runs them.
 */
class InspectingCommandsTest {
    @TempDir
    Path root;

    private static final List<String> COMMANDS = List.of("verify", "repair", "compact");

    @ParameterizedTest
    @EnumSource(TestStores.Kind.class)
    void aHealthyStoreIsHealthyAndNoByteOfItIsTouched(TestStores.Kind kind) throws IOException {
        Path store = TestStores.filled(kind, root.resolve("tx"));
        Map<String, String> before = TestStores.snapshot(store);

        JsonObject answer =
                ToolRun.of("verify", "--json", store).endsWith(ExitStatus.OK).json();
        assertThat(answer.getBoolean("healthy", false)).isTrue();
        assertThat(answer.getInt("records", 0)).isEqualTo(TestStores.keys().size());
        assertThat(ToolRun.of("repair", store).endsWith(ExitStatus.OK).out()).contains("no repair is needed");
        assertThat(TestStores.snapshot(store)).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(TestStores.Kind.class)
    void aStoreInUseIsNotTouched(TestStores.Kind kind) throws IOException {
        Path directory = root.resolve("tx");
        try (ObjectStore store = kind.open(directory)) {
            TestStores.fill(store);
            for (String command : List.of("repair --yes", "compact")) {
                ToolRun run = ToolRun.of((Object[]) (command + " " + directory).split(" "));
                assertThat(run.endsWith(ExitStatus.IN_USE).err()).contains("in use by pid=");
            }
            assertThat(store.types()).hasSize(3);
        }
    }

    @Test
    void aSegmentedJournalInUseIsVerifiedAndOthersSayWhoHasThem() {
        for (TestStores.Kind kind : TestStores.Kind.values()) {
            Path directory = root.resolve(kind.name());
            try (ObjectStore store = kind.open(directory)) {
                TestStores.fill(store);
                if (kind == TestStores.Kind.SEGMENTED) {
                    assertThat(ToolRun.of("verify", directory)
                                    .endsWith(ExitStatus.OK)
                                    .out())
                            .contains("records=" + TestStores.keys().size(), "in-use-by=pid=", "healthy");
                } else {
                    assertThat(ToolRun.of("verify", directory)
                                    .endsWith(ExitStatus.IN_USE)
                                    .err())
                            .contains("in use by pid=");
                    ToolRun.of("backup", directory, root.resolve("backup")).endsWith(ExitStatus.IN_USE);
                }
            }
        }
        assertThat(root.resolve("backup")).doesNotExist();
    }

    /** A=n is on disk before B=n begins: so a backup in which B is n has A at n or one further. */
    @Test
    void aBackupOfAStoreInUseHoldsWhatItHeldAtOneMoment() throws Exception {
        Path directory = root.resolve("tx");
        StateKey a = StateKey.of("/A", ObjectId.parse("01"));
        StateKey b = StateKey.of("/B", ObjectId.parse("01"));
        AtomicBoolean enough = new AtomicBoolean();
        AtomicInteger acknowledged = new AtomicInteger();
        try (ObjectStore store = TestStores.Kind.SEGMENTED.open(directory)) {
            Thread writer = new Thread(() -> {
                for (int n = 1; !enough.get(); n++) {
                    store.write(a, TestStores.bytes(Integer.toString(n)), Durability.FORCED);
                    store.write(b, TestStores.bytes(Integer.toString(n)), Durability.FORCED);
                    acknowledged.set(n);
                }
            });
            writer.start();
            try {
                for (int i = 0; i < 3; i++) {
                    while (acknowledged.get() < 50 * (i + 1)) {
                        Thread.onSpinWait();
                    }
                    int before = acknowledged.get();
                    Path backup = root.resolve("backup-" + i);
                    Path restored = root.resolve("restored-" + i);
                    ToolRun.of("backup", directory, backup).endsWith(ExitStatus.OK);
                    ToolRun.of("restore", backup, restored).endsWith(ExitStatus.OK);
                    int inB = number(restored, b);
                    assertThat(inB).isGreaterThanOrEqualTo(before);
                    assertThat(number(restored, a)).isBetween(inB, inB + 1);
                }
            } finally {
                enough.set(true);
                writer.join();
            }
        }
    }

    private static int number(Path directory, StateKey key) {
        try (ObjectStore store = TestStores.Kind.SEGMENTED.open(directory)) {
            return Integer.parseInt(new String(store.read(key).orElseThrow(), StandardCharsets.UTF_8));
        }
    }

    /** As after a power cut in the middle: no store takes the directory, each command says so, and repair finishes. */
    @Test
    void anExchangeThatWasCutOffIsToldAndFinished() throws IOException {
        Path store = TestStores.filled(TestStores.Kind.SEGMENTED, root.resolve("tx"));
        TestStores.damage(store, "second");
        String name = ToolRun.of("repair", "--yes", "--json", store)
                .endsWith(ExitStatus.OK)
                .json()
                .getString("quarantine", "");
        Path made = Files.createDirectory(store.resolve("tallystick.quarantine/" + name + "/new"));
        Files.move(store.resolve(StoreIdentity.FILE_NAME), made.resolve(StoreIdentity.FILE_NAME));
        Files.writeString(store.resolve("tallystick.swap"), name + "\n");

        for (List<String> words : List.of(
                List.of("verify", store.toString()),
                List.of("repair", store.toString()),
                List.of("backup", store.toString(), root.resolve("backup").toString()))) {
            assertThat(ToolRun.of(words.toArray()).endsWith(ExitStatus.NEGATIVE).err())
                    .contains("repair --yes");
        }
        Assertions.assertThatThrownBy(() -> TestStores.Kind.SEGMENTED.open(store))
                .hasMessageContaining("tallystick repair");
        assertThat(ToolRun.of("repair", "--yes", store).endsWith(ExitStatus.OK).out())
                .contains("is finished", "no repair is needed");
        ToolRun.of("verify", store).endsWith(ExitStatus.OK);
    }

    @Test
    void whatIsNoStoreIsRefused() throws IOException {
        Path empty = Files.createDirectory(root.resolve("empty"));
        Path other = Files.createDirectory(root.resolve("other"));
        Files.writeString(other.resolve("notes.txt"), "mine");
        for (Path directory : List.of(empty, other, root.resolve("missing"))) {
            for (String command : COMMANDS) {
                ToolRun.of(command, directory).endsWith(ExitStatus.NO_STORE);
            }
            ToolRun.of("repair", "--yes", directory).endsWith(ExitStatus.NO_STORE);
            ToolRun.of("quarantine", "list", directory).endsWith(ExitStatus.NO_STORE);
            ToolRun.of("quarantine", "restore", directory, "x").endsWith(ExitStatus.NO_STORE);
            ToolRun.of("backup", directory, root.resolve("backup")).endsWith(ExitStatus.NO_STORE);
        }
        assertThat(names(empty)).isEmpty();
        assertThat(names(other)).containsExactly("notes.txt");
        assertThat(names(root)).containsExactlyInAnyOrder("empty", "other");
    }

    @ParameterizedTest
    @EnumSource(TestStores.Kind.class)
    void aDamageIsToldWithItsPlaceAndRepairedAndCanBePutBack(TestStores.Kind kind) throws IOException {
        Path store = TestStores.filled(kind, root.resolve("tx"));
        Path damaged = TestStores.damage(store, "second");
        Map<String, String> before = TestStores.snapshot(store);

        ToolRun verified = ToolRun.of("verify", store).endsWith(ExitStatus.NEGATIVE);
        assertThat(verified.out()).contains("file=" + damaged.toRealPath() + " offset=", "key=" + TestStores.SECOND);
        ToolRun.of("repair", store).endsWith(ExitStatus.NEGATIVE);
        ToolRun.of("repair", "--yes", "--dry-run", store).endsWith(ExitStatus.NEGATIVE);
        assertThat(TestStores.snapshot(store)).isEqualTo(before);

        String name = ToolRun.of("repair", "--yes", "--json", store)
                .endsWith(ExitStatus.OK)
                .json()
                .getString("quarantine", "");
        ToolRun.of("verify", store).endsWith(ExitStatus.OK);
        try (ObjectStore opened = kind.open(store)) {
            assertThat(opened.read(TestStores.PLAIN)).contains(TestStores.bytes("plain"));
            assertThat(opened.read(TestStores.SECOND)).isEmpty();
            assertThat(opened.statusOf(TestStores.BOTH_HIDDEN).isHidden()).isTrue();
        }
        assertThat(ToolRun.of("quarantine", "list", store)
                        .endsWith(ExitStatus.OK)
                        .out())
                .contains(name, "purpose=repair", "offset=");

        ToolRun.of("quarantine", "restore", store, name).endsWith(ExitStatus.OK);
        ToolRun.of("verify", store).endsWith(ExitStatus.NEGATIVE);
        Assertions.assertThatThrownBy(() -> kind.open(store)).isInstanceOf(CorruptStoreException.class);
        assertThat(Files.readAllBytes(damaged)).isEqualTo(Files.readAllBytes(quarantined(store, name, damaged)));
    }

    private static Path quarantined(Path store, String name, Path file) throws IOException {
        return store.resolve("tallystick.quarantine")
                .resolve(name)
                .resolve("files")
                .resolve(store.relativize(file));
    }

    @ParameterizedTest
    @EnumSource(TestStores.Kind.class)
    void aStoreWhoseIdentityIsDamagedIsToldAndRepaired(TestStores.Kind kind) throws IOException {
        Path store = TestStores.filled(kind, root.resolve("tx"));
        Files.writeString(store.resolve(StoreIdentity.FILE_NAME), "no identity");

        assertThat(ToolRun.of("verify", store).endsWith(ExitStatus.NEGATIVE).out())
                .contains("kind=identity");
        ToolRun.of("repair", "--yes", store).endsWith(ExitStatus.OK);
        try (ObjectStore opened = kind.open(store)) {
            assertThat(opened.read(TestStores.SECOND)).contains(TestStores.bytes("second\u0007"));
        }
    }

    @ParameterizedTest
    @EnumSource(TestStores.Kind.class)
    void compactionKeepsWhatIsThere(TestStores.Kind kind) throws IOException {
        Path store = TestStores.filled(kind, root.resolve("tx"));
        Map<StateKey, String> before = records(store);

        ToolRun.of("compact", store).endsWith(ExitStatus.OK);

        assertThat(records(store)).isEqualTo(before);
        assertThat(names(store)).doesNotContain("tallystick.quarantine", "tallystick.swap");
        try (ObjectStore opened = kind.open(store)) {
            assertThat(opened.types()).hasSize(3);
        }
    }

    @Test
    void aDamagedStoreIsNeitherCompactedNorBackedUp() throws IOException {
        Path store = TestStores.filled(TestStores.Kind.SEGMENTED, root.resolve("tx"));
        TestStores.damage(store, "second");
        Map<String, String> before = TestStores.snapshot(store);

        ToolRun.of("backup", store, root.resolve("backup")).endsWith(ExitStatus.NEGATIVE);
        assertThat(TestStores.snapshot(store)).isEqualTo(before);
        ToolRun.of("compact", store).endsWith(ExitStatus.NEGATIVE);
        assertThat(root.resolve("backup")).doesNotExist();
    }

    @ParameterizedTest
    @EnumSource(TestStores.Kind.class)
    void aBackupBecomesAStoreWithAnIdentityOfItsOwn(TestStores.Kind kind) throws IOException {
        Path store = TestStores.filled(kind, root.resolve("tx"));
        Path backup = root.resolve("backup");
        Path restored = root.resolve("new/tx");

        ToolRun.of("backup", store, backup).endsWith(ExitStatus.OK);
        ToolRun.of("backup", store, backup).endsWith(ExitStatus.REFUSED);
        ToolRun.of("restore", backup, restored).endsWith(ExitStatus.OK);
        ToolRun.of("restore", backup, restored).endsWith(ExitStatus.REFUSED);

        assertThat(records(restored)).isEqualTo(records(store));
        assertThat(StoreInspectors.inspect(restored).storeId())
                .isNotEqualTo(StoreInspectors.inspect(store).storeId());
        try (ObjectStore opened = kind.open(restored)) {
            assertThat(opened.read(TestStores.PLAIN)).contains(TestStores.bytes("plain"));
        }
        assertThat(names(restored)).doesNotContain("tallystick.quarantine", "tallystick.swap");
    }

    @Test
    void aBackupThatIsNotWholeIsNotRestored() throws IOException {
        Path store = TestStores.filled(TestStores.Kind.SEGMENTED, root.resolve("tx"));
        Path restored = root.resolve("restored");
        Path cutOff = root.resolve("cut-off");
        ToolRun.of("backup", store, cutOff).endsWith(ExitStatus.OK);
        Files.delete(cutOff.resolve("tallystick.backup"));
        assertThat(ToolRun.of("restore", cutOff, restored)
                        .endsWith(ExitStatus.NEGATIVE)
                        .err())
                .contains("no complete backup");
        ToolRun.of("backup", store, cutOff).endsWith(ExitStatus.REFUSED);

        Path changed = root.resolve("changed");
        ToolRun.of("backup", store, changed).endsWith(ExitStatus.OK);
        TestStores.damage(changed.resolve("store"), "plain");
        ToolRun.of("restore", changed, restored).endsWith(ExitStatus.NEGATIVE);

        Path lost = root.resolve("lost");
        ToolRun.of("backup", store, lost).endsWith(ExitStatus.OK);
        Files.delete(lost.resolve("store").resolve("segment-000001.seg"));
        ToolRun.of("restore", lost, restored).endsWith(ExitStatus.NEGATIVE);
        assertThat(restored).doesNotExist();
    }

    private static Map<StateKey, String> records(Path directory) {
        Map<StateKey, String> found = new TreeMap<>(InspectedRecord.ORDER);
        StoreInspectors.inspect(directory)
                .records()
                .forEach(record -> found.put(
                        record.key(),
                        record.status()
                                + Arrays.toString(record.image().committed())
                                + Arrays.toString(record.image().shadow())));
        return found;
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
