package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.command.DirectoryTrees;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.Progress;
import io.tallystick.tool.command.StoreAccess;
import io.tallystick.tool.command.ToolException;
import io.tallystick.tool.command.WriteAccess;
import io.tallystick.tool.repair.Repair;
import io.tallystick.tool.repair.StoreSwap;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Root at work on what another user owns. Where the tests run as root, the files are given to a user; where they do
 * not, the test's own user is the other one and the process only counts as root's. Both go the same way.
 */
class WriteAccessTest {
    private static final int USER = 65_534;
    private static final String COMMAND = "tallystick compact /var/lib/tx";

    @TempDir
    Path root;

    private int owner;

    @BeforeEach
    void findOwner() throws IOException {
        Path file = Files.createFile(root.resolve("probe"));
        owner = ownerOf(file);
        if (owner == 0) {
            owner = USER;
        }
        Files.delete(file);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void rootIsRefusedInTheDirectoryOfAnotherUserAndToldTheCommand(Kind kind) throws IOException {
        Path store = given(TestStores.filled(kind, root.resolve("tx")));
        Map<String, String> before = TestStores.snapshot(store);

        assertThatThrownBy(() -> WriteAccess.to(store, true, false, false, COMMAND))
                .isInstanceOfSatisfying(ToolException.class, refused -> assertThat(refused.status())
                        .isEqualTo(ExitStatus.REFUSED))
                .hasMessageContaining("directory=" + store)
                .hasMessageContaining("sudo -u ")
                .hasMessageContaining(COMMAND)
                .hasMessageContaining("--as-owner");
        assertThat(TestStores.snapshot(store)).isEqualTo(before);
    }

    @Test
    void rootIsRefusedWhereItWouldMakeADirectoryInThatOfAnotherUser() throws IOException {
        Path home = given(Files.createDirectory(root.resolve("home")));

        assertThatThrownBy(() -> WriteAccess.to(home.resolve("a/b"), true, false, false, COMMAND))
                .isInstanceOf(ToolException.class)
                .hasMessageContaining("sudo -u ");
        assertThat(home).isEmptyDirectory();
    }

    @Test
    void theOwnerAndAnyUserButRootGoOn() throws IOException {
        Path store = given(TestStores.filled(Kind.FILE, root.resolve("tx")));

        assertThat(WriteAccess.to(store, false, false, false, COMMAND)).isNotNull();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void asOwnerEachNewFileIsTheOwners(Kind kind) throws IOException {
        Path store = given(TestStores.filled(kind, root.resolve("tx")));
        TestStores.damage(store, "second");
        StoreAccess access = WriteAccess.to(store, true, true, false, COMMAND);

        try (Repair repair = Repair.of(access, store, false, silent())) {
            repair.finishEarlier();
            repair.rebuild(repair.inspection(), StoreSwap.Purpose.REPAIR, Instant.now(), Map.of());
        }

        allAreTheOwners(store);
        try (ObjectStore opened = access.open(kind.in(store))) {
            opened.write(TestStores.SECOND, TestStores.bytes("again"), Durability.FORCED);
        }
        allAreTheOwners(store);
        StoreInspection repaired = access.inspectorOf(store).inspect(store);
        assertThat(repaired.isHealthy()).isTrue();
        assertThat(repaired.record(TestStores.SECOND)).isPresent();
    }

    @Test
    void asOwnerNewDirectoriesOnTheWayAreTheOwnersToo() throws IOException {
        Path home = given(Files.createDirectory(root.resolve("home")));
        Path target = home.resolve("a/tx");
        StoreAccess access = WriteAccess.to(target, true, true, false, COMMAND);

        access.open(Kind.FILE.in(target)).close();

        allAreTheOwners(home);
    }

    /** A local user was quicker to make the directory that root was about to make. */
    @Test
    void rootDoesNotGoOnInADirectoryThatAnotherUserMadeMeanwhile() throws IOException {
        assumeThat(ownerOf(root)).as("only root can give a directory away").isZero();
        for (String made : new String[] {"a", "a/tx"}) {
            Path target = root.resolve(made.replace('/', '-')).resolve("a/tx");
            Files.createDirectories(target.getParent().getParent());
            StoreAccess access = WriteAccess.to(target, true, false, false, COMMAND);
            Path others =
                    Files.createDirectories(root.resolve(made.replace('/', '-')).resolve(made));
            given(others);

            assertThatThrownBy(() -> DirectoryTrees.make(access.disk(), target.resolve("store")))
                    .isInstanceOfSatisfying(ToolException.class, refused -> assertThat(refused.status())
                            .isEqualTo(ExitStatus.REFUSED))
                    .hasMessageContaining("file=" + others)
                    .hasMessageContaining("user=");
            assertThatThrownBy(() -> access.open(Kind.FILE.in(target))).hasMessageContaining("file=" + others);
            assertThat(target.resolve("store")).doesNotExist();
            assertThat(target.resolve("tallystick.store")).doesNotExist();
        }
    }

    private Path given(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.toList()) {
                if (ownerOf(path) != owner) {
                    Files.setAttribute(path, "unix:gid", owner, LinkOption.NOFOLLOW_LINKS);
                    Files.setAttribute(path, "unix:uid", owner, LinkOption.NOFOLLOW_LINKS);
                }
            }
        }
        return directory;
    }

    private void allAreTheOwners(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.toList()) {
                assertThat(ownerOf(path)).as(path.toString()).isEqualTo(owner);
            }
        }
    }

    private static int ownerOf(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    private static Progress silent() {
        return new Progress("repairing", new PrintWriter(new StringWriter()), false, System::nanoTime);
    }
}
