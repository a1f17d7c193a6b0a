package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreOption;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A node is refused a copy of its store until a person accepts it, and the tool's own copies are no copies. */
class AcceptCopyTest {
    private static final String NOTE = "tallystick.place";
    private static final String REASON = "the machine db1 is gone";

    @TempDir
    Path root;

    @ParameterizedTest
    @EnumSource(Kind.class)
    @EnabledOnOs(
            value = {OS.LINUX, OS.MAC},
            disabledReason = "files have no keys: a copy looks like a moved store")
    void aCopyIsRefusedToItsNodeUntilItIsAccepted(Kind kind) throws IOException {
        Path original = node(kind, "tx");
        try (ObjectStore running = openAsNode(kind, original)) {
            Path copy = copyOf(original);
            assertThatThrownBy(() -> openAsNode(kind, copy))
                    .isInstanceOfSatisfying(StoreIoException.class, refused -> assertThat(refused.messageId())
                            .isEqualTo("TALLY0022"))
                    .hasMessageContaining("tallystick accept-copy " + copy.toRealPath());

            assertThat(ToolRun.of("accept-copy", copy, "--reason", REASON)
                            .endsWith(ExitStatus.OK)
                            .out())
                    .contains("accepted=true", "it was a copy: the store was made at path=" + original.toRealPath());

            openAsNode(kind, copy).close();
            assertThat(ToolRun.of("stat", copy).endsWith(ExitStatus.OK).out())
                    .contains("accepted     ", REASON)
                    .doesNotContain("place        ");
            assertThat(running.read(TestStores.PLAIN)).isPresent();
        }
        openAsNode(kind, original).close();
    }

    @Test
    @EnabledOnOs(
            value = {OS.LINUX, OS.MAC},
            disabledReason = "files have no keys: a copy looks like a moved store")
    void statAndDoctorNameThePlaceOfACopyAndChangeNothing() throws IOException {
        Path copy = copyOf(node(Kind.SEGMENTED, "tx"));
        Map<String, String> before = TestStores.snapshot(copy);

        assertThat(ToolRun.of("stat", copy).endsWith(ExitStatus.OK).out())
                .contains("place        a copy: the store was made at path=");
        assertThat(ToolRun.of("stat", "--json", copy)
                        .endsWith(ExitStatus.OK)
                        .json()
                        .getString("placeRemark", ""))
                .startsWith("a copy");
        ToolRun doctor = ToolRun.of("doctor", "-Dtallystick.node-id=orders-0", "-Dtallystick.directory=" + copy);
        assertThat(doctor.out() + doctor.err()).contains(": a copy: the store was made at", "TALLY0022");
        assertThat(TestStores.snapshot(copy)).isEqualTo(before);
    }

    @Test
    @EnabledOnOs(
            value = {OS.LINUX, OS.MAC},
            disabledReason = "files have no keys: a copy looks like a moved store")
    void aStoreInUseIsNotAccepted() throws IOException {
        Path copy = copyOf(node(Kind.FILE, "tx"));
        String note = Files.readString(copy.resolve(NOTE));
        try (ObjectStore running = Kind.FILE.open(copy)) {
            ToolRun.of("accept-copy", copy, "--reason", REASON).endsWith(ExitStatus.IN_USE);
            assertThat(running.read(TestStores.PLAIN)).isPresent();
        }
        assertThat(copy.resolve(NOTE)).hasContent(note);
    }

    @Test
    void aStoreAtHomeStaysAsItIs() throws IOException {
        Path store = node(Kind.FILE, "tx");
        String note = Files.readString(store.resolve(NOTE));

        assertThat(ToolRun.of("accept-copy", store, "--reason", REASON)
                        .endsWith(ExitStatus.OK)
                        .out())
                .contains("accepted=false");
        assertThat(store.resolve(NOTE)).hasContent(note);
    }

    @Test
    void aReasonMustBeGivenAndFit() throws IOException {
        Path copy = copyOf(node(Kind.FILE, "tx"));
        String note = Files.readString(copy.resolve(NOTE));

        ToolRun.of("accept-copy", copy).endsWith(ExitStatus.USAGE);
        ToolRun.of("accept-copy", copy, "--reason", " ").endsWith(ExitStatus.USAGE);
        ToolRun.of("accept-copy", copy, "--reason", "x".repeat(301)).endsWith(ExitStatus.USAGE);
        assertThat(copy.resolve(NOTE)).hasContent(note);
    }

    @Test
    void whatIsNoStoreIsNotAcceptedAndNothingIsMadeThere() throws IOException {
        Path empty = Files.createDirectory(root.resolve("empty"));

        ToolRun.of("accept-copy", empty, "--reason", REASON).endsWith(ExitStatus.NO_STORE);
        assertThat(empty).isEmptyDirectory();
    }

    @Test
    void anExchangeThatWasCutOffIsFinishedFirst() throws IOException {
        Path copy = copyOf(node(Kind.FILE, "tx"));
        Files.writeString(copy.resolve("tallystick.swap"), "2026-01-01T00-00-00Z-repair\n");

        assertThat(ToolRun.of("accept-copy", copy, "--reason", REASON)
                        .endsWith(ExitStatus.REFUSED)
                        .err())
                .contains("repair --yes");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void neitherARestoredNorAMigratedStoreIsACopy(Kind kind) throws IOException {
        Path store = node(kind, "tx");
        Path backup = root.resolve("backup");
        Path restored = root.resolve("restored");
        Path migrated = root.resolve("migrated");

        ToolRun.of("backup", store, backup).endsWith(ExitStatus.OK);
        try (Stream<Path> files = Files.walk(backup)) {
            assertThat(files).noneMatch(file -> file.endsWith(NOTE));
        }
        ToolRun.of("restore", backup, restored).endsWith(ExitStatus.OK);
        assertThat(restored.resolve(NOTE)).content().contains("path=" + restored.toRealPath() + "\n");
        openAsNode(kind, restored).close();
        ToolRun.of("migrate", "--to", "file", store, migrated).endsWith(ExitStatus.OK);
        assertThat(migrated.resolve(NOTE)).content().contains("path=" + migrated.toRealPath() + "\n");
        openAsNode(Kind.FILE, migrated).close();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aStoreAtHomeThatIsRepairedOrCompactedIsAtHome(Kind kind) throws IOException {
        Path store = node(kind, "tx");
        ToolRun.of("compact", store).endsWith(ExitStatus.OK);
        openAsNode(kind, store).close();
        assertThat(ToolRun.of("stat", store).endsWith(ExitStatus.OK).out()).doesNotContain("place        ");
        TestStores.damage(store, "second");
        String aside = ToolRun.of("repair", "--yes", "--json", store)
                .endsWith(ExitStatus.OK)
                .json()
                .getString("quarantine", "");
        assertThat(ToolRun.of("stat", store).endsWith(ExitStatus.OK).out()).doesNotContain("place        ");
        ToolRun.of("quarantine", "restore", store, aside).endsWith(ExitStatus.OK);
        assertThat(ToolRun.of("stat", store).out()).doesNotContain("place        ");
    }

    @Test
    @EnabledOnOs(
            value = {OS.LINUX, OS.MAC},
            disabledReason = "files have no keys: a copy looks like a moved store")
    void aCopyThatIsCompactedStaysACopy() throws IOException {
        Path copy = copyOf(node(Kind.SEGMENTED, "tx"));
        ToolRun.of("compact", copy).endsWith(ExitStatus.OK);

        assertThatThrownBy(() -> openAsNode(Kind.SEGMENTED, copy)).hasMessageContaining("holds a copy of a store");
    }

    private Path node(Kind kind, String name) {
        Path directory = root.resolve(name);
        try (ObjectStore store = openAsNode(kind, directory)) {
            TestStores.fill(store);
        }
        return directory;
    }

    private static ObjectStore openAsNode(Kind kind, Path directory) {
        return ObjectStores.open(kind.in(directory).toBuilder()
                .set(StoreOption.NODE_ID, "orders-0")
                .build());
    }

    private Path copyOf(Path original) throws IOException {
        Path copy = root.resolve("copy");
        try (Stream<Path> files = Files.walk(original)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.copy(file, copy.resolve(original.relativize(file).toString()));
            }
        }
        return copy;
    }
}
