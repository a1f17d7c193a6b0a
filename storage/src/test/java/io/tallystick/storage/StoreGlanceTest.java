package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A look at a directory tells who it is and who has it, and changes nothing. */
class StoreGlanceTest {
    private static final String KIND = "file-v1";

    private final Disk disk = new SystemDisk();

    @TempDir
    Path root;

    @Test
    void nothingIsThereAndNothingIsMade() throws IOException {
        assertThat(StoreGlance.at(disk, root.resolve("missing"))).isEmpty();
        assertThat(disk.isLocked(root.resolve("missing/lock"))).isFalse();
        assertThat(disk.isLocked(root.resolve("lock"))).isFalse();
        assertThat(names(root)).isEmpty();
    }

    @Test
    void aClosedStoreHasAnIdentityAndNoHolder() throws IOException {
        StoreIdentity identity = made("tx", Optional.of("orders-0"));
        List<String> before = names(root.resolve("tx"));

        StoreGlance glance = StoreGlance.at(disk, root.resolve("tx")).orElseThrow();

        assertThat(glance.identity()).contains(identity);
        assertThat(glance.nodeId()).contains("orders-0");
        assertThat(glance.holder()).isEmpty();
        assertThat(glance.damages()).isEmpty();
        assertThat(names(root.resolve("tx"))).isEqualTo(before);
    }

    /** A process gives up its lock on a file when it closes any descriptor of that file. */
    @Test
    void aLookAtADirectoryOfThisProcessDoesNotGiveItsLockUp() throws IOException {
        Path path = root.resolve("tx");
        try (StoreDirectory directory = StoreDirectory.take(disk, path, KIND, false)) {
            assertThat(StoreGlance.at(disk, path).orElseThrow().holder()).isPresent();
            assertThat(StoreGlance.at(disk, path).orElseThrow().holder().orElseThrow())
                    .contains("pid=" + ProcessHandle.current().pid());
            try (ChildJvm.Running child = ChildJvm.of(StoreDirectoryTest.OwnerChild.class)
                    .withUmask("0022")
                    .start(path.toString())) {
                String line = child.line();
                while (line != null && !line.contains("StoreDirectoryException")) {
                    line = child.line();
                }
                assertThat(line).contains("is in use by");
            }
            assertThat(directory.hasLockFile()).isTrue();
        }
        assertThat(StoreGlance.at(disk, path).orElseThrow().holder()).isEmpty();
    }

    @Test
    void anotherProcessIsNamedAndKeepsItsLock() throws IOException {
        Path path = root.resolve("tx");
        try (ChildJvm.Running child = ChildJvm.of(StoreDirectoryTest.OwnerChild.class)
                .withUmask("0022")
                .start(path.toString())) {
            assertThat(child.line()).startsWith("taken");
            for (int i = 0; i < 3; i++) {
                assertThat(StoreGlance.at(disk, path).orElseThrow().holder().orElseThrow())
                        .contains("pid=" + child.pid());
            }
        }
        assertThat(StoreGlance.at(disk, path).orElseThrow().holder()).isEmpty();
    }

    @Test
    void whoHadTheDirectoryInBetweenIsNoticed() throws IOException {
        made("tx", Optional.empty());
        StoreGlance before = StoreGlance.at(disk, root.resolve("tx")).orElseThrow();
        assertThat(StoreGlance.at(disk, root.resolve("tx")).orElseThrow().isUndisturbedSince(before))
                .isTrue();

        made("tx", Optional.empty());

        assertThat(StoreGlance.at(disk, root.resolve("tx")).orElseThrow().isUndisturbedSince(before))
                .isFalse();
    }

    @Test
    void aDamagedIdentityIsToldAndTheRestSeen() throws IOException {
        made("tx", Optional.empty());
        Files.writeString(root.resolve("tx").resolve(StoreIdentity.FILE_NAME), "nonsense");

        StoreGlance glance = StoreGlance.at(disk, root.resolve("tx")).orElseThrow();

        assertThat(glance.identity()).isEmpty();
        assertThat(glance.damages()).hasSize(1);
    }

    @Test
    void noOpenerTakesADirectoryWhoseFilesAreBeingExchanged() throws IOException {
        made("tx", Optional.empty());
        Files.writeString(root.resolve("tx").resolve(StoreDirectory.SWAP_FILE), "name\n");

        assertThatThrownBy(() -> StoreDirectory.take(disk, root.resolve("tx"), KIND, false))
                .isInstanceOf(StoreDirectoryException.class)
                .hasMessageContaining("tallystick repair");
        try (DiskLock lock = StoreDirectory.claim(disk, root.resolve("tx"), false)) {
            assertThat(lock).isNotNull();
        }
    }

    private StoreIdentity made(String name, Optional<String> node) throws IOException {
        try (StoreDirectory directory = StoreDirectory.take(disk, root.resolve(name), KIND, false, node)) {
            return directory.identity();
        }
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
