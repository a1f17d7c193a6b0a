package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectStore;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.StoreAt;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A directory that is no sound store is refused with a reason, and nothing is changed in it. */
class StoreAtTest {
    private static final String INSPECTABLE = "io.tallystick.tool.TestStores#inspectable";

    @TempDir
    Path root;

    @ParameterizedTest
    @MethodSource(INSPECTABLE)
    void everyKindOfStoreIsFound(Kind kind) {
        Path directory = TestStores.filled(kind, root.resolve("tx"));

        assertThat(ToolRun.of("list", directory).endsWith(ExitStatus.OK).lines())
                .hasSize(TestStores.keys().size());
    }

    @Test
    void anEmptyDirectoryStaysEmpty() throws IOException {
        assertThat(ToolRun.of("list", root).endsWith(ExitStatus.NO_STORE).err())
                .contains("directory=" + root.toRealPath(), "is empty", "tallystick.store");
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void aMissingDirectoryIsNotMade() {
        Path missing = root.resolve("no/such");

        assertThat(ToolRun.of("list", missing).endsWith(ExitStatus.NO_STORE).err())
                .contains("directory=" + missing, "does not exist");
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void aLinkToAStoreIsRefusedWithItsTarget() throws IOException {
        Path store = TestStores.filled(Kind.FILE, root.resolve("tx"));
        Path link = Files.createSymbolicLink(root.resolve("link"), store);

        assertThat(ToolRun.of("list", link).endsWith(ExitStatus.NO_STORE).err()).contains("symbolic link to " + store);
    }

    @Test
    void aFileIsNoDirectory() throws IOException {
        Path file = Files.writeString(root.resolve("file"), "x");

        assertThat(ToolRun.of("list", file).endsWith(ExitStatus.NO_STORE).err()).contains("is not a directory");
    }

    @Test
    void aDirectoryOfSomethingElseIsNamedAndUntouched() throws IOException {
        Files.writeString(root.resolve("notes.txt"), "x");
        Map<String, String> before = TestStores.snapshot(root);

        assertThat(ToolRun.of("list", root).endsWith(ExitStatus.NO_STORE).err())
                .contains("notes.txt", "tallystick.store");
        assertThat(TestStores.snapshot(root)).isEqualTo(before);
    }

    @Test
    void theDirectoryAboveAStoreNamesTheStore() {
        Path store = TestStores.filled(Kind.FILE, root.resolve("tx"));

        assertThat(ToolRun.of("list", root).endsWith(ExitStatus.NO_STORE).err()).contains(store.toString());
    }

    @ParameterizedTest
    @CsvSource({"ShadowNoFileLockStore, ShadowNoFileLockStore", "jbossts-1.txlog, HornetQ", "slot.0, SlotStore"})
    void aLogOfNarayanaIsSentToMigrate(String name, String says) throws IOException {
        Files.createDirectory(root.resolve(name));

        assertThat(ToolRun.of("list", root).endsWith(ExitStatus.NO_STORE).err()).contains(says, "tallystick migrate");
    }

    @Test
    void aDamagedIdentityIsDamage() throws IOException {
        Path store = TestStores.filled(Kind.FILE, root.resolve("tx"));
        TestStores.damage(store, "kind=");

        assertThat(ToolRun.of("list", store).endsWith(ExitStatus.NEGATIVE).err())
                .contains("tallystick.store", "offset=0", "tallystick verify");
    }

    @Test
    void aStoreThatThisUserMayNotReadIsToldAsSuch() {
        Path store = TestStores.filled(Kind.FILE, root.resolve("tx"));
        Disk real = new SystemDisk();
        Disk denying = (Disk) Proxy.newProxyInstance(
                Disk.class.getClassLoader(), new Class<?>[] {Disk.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("open")) {
                        throw new AccessDeniedException(arguments[0].toString());
                    }
                    return method.invoke(real, arguments);
                });

        assertThatThrownBy(() -> StoreAt.find(store, denying))
                .isInstanceOfSatisfying(ToolException.class, refused -> assertThat(refused.status())
                        .isEqualTo(ExitStatus.FAILED))
                .hasMessageMatching("user=" + System.getProperty("user.name") + " may not use file="
                        + store.resolve("tallystick.store") + ", which has owner=\\S+ group=\\S+ mode=rw\\S+;"
                        + " run as the user that owns the store");
    }

    @Test
    void aKindThatTheToolDoesNotKnowIsNamed() throws IOException {
        Files.writeString(root.resolve("tallystick.store"), """
                tallystick-store 2
                anything
                """);

        assertThat(ToolRun.of("list", root).endsWith(ExitStatus.FAILED).err()).contains("format version 2");
    }

    @ParameterizedTest
    @MethodSource(INSPECTABLE)
    void aStoreInUseIsReadAsItIsOrRefusedAndSaysByWhom(Kind kind) {
        Path directory = root.resolve("tx");
        String owner = "pid=" + ProcessHandle.current().pid();
        try (ObjectStore store = kind.open(directory)) {
            TestStores.fill(store);
            ToolRun list = ToolRun.of("list", directory);
            if (list.exitCode() == ExitStatus.OK.code()) {
                assertThat(list.lines()).hasSize(TestStores.keys().size());
                assertThat(ToolRun.of("stat", directory).endsWith(ExitStatus.OK).out())
                        .contains("in use       by " + owner);
            } else {
                assertThat(list.endsWith(ExitStatus.IN_USE).err()).contains(owner);
            }
        }
    }

    @ParameterizedTest
    @MethodSource(INSPECTABLE)
    void damageIsToldWithFileAndOffset(Kind kind) throws IOException {
        Path directory = TestStores.filled(kind, root.resolve("tx"));
        Path damaged = TestStores.damage(directory, "second");

        assertThat(ToolRun.of("list", directory).endsWith(ExitStatus.NEGATIVE).err())
                .contains(damaged.toString(), "offset=", "tallystick verify");
    }
}
