package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.narayana.logs.UnservedLog;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A look at a log that this process does not use: whether transactions were left in it. */
class UnservedLogTest {
    private static final String ACTION = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";

    @TempDir
    private Path root;

    static Stream<StoreKind> kinds() {
        return StoreKind.plainAndDurable();
    }

    private Path directory() {
        return root.resolve("tx");
    }

    private void leave(StoreKind kind, String... types) {
        try (ObjectStore store = kind.open(directory())) {
            for (int i = 0; i < types.length; i++) {
                byte[] id = new byte[28];
                id[27] = (byte) i;
                store.write(StateKey.of(types[i], ObjectId.of(id)), new byte[] {1}, Durability.FORCED);
            }
        }
    }

    private Optional<String> remark() {
        return UnservedLog.remarkOn(directory(), 1024 * StoreOption.MIB);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void transactionsThatWereLeftAreCountedAndNothingIsChanged(StoreKind kind) throws IOException {
        leave(kind, ACTION, ACTION, ACTION + "/Expired", "/EISNAME", "/StateManager/LockManager/Account");
        Map<Path, FileTime> before = files();

        assertThat(remark()).contains("2 transactions lie in directory=" + directory());

        assertThat(files()).isEqualTo(before);
        kind.open(directory()).close();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aLogWithoutTransactionsIsNotRemarkedOn(StoreKind kind) {
        leave(kind, ACTION + "/Expired", "/EISNAME");

        assertThat(remark()).isEmpty();
    }

    @Test
    void whereNoStoreIsNothingIsRemarkedOnAndNothingIsMade() throws IOException {
        assertThat(remark()).isEmpty();
        assertThat(directory()).doesNotExist();

        Files.createDirectory(directory());
        assertThat(remark()).isEmpty();
        assertThat(files()).isEmpty();
    }

    /** Another process has it, and finishes what is in it. */
    @Test
    void aLogInUseIsNotRemarkedOn() {
        leave(StoreKind.SEGMENTED_CHANNEL, ACTION);
        try (ObjectStore owner = StoreKind.SEGMENTED_CHANNEL.open(directory())) {
            assertThat(owner.types()).contains(ACTION);
            assertThat(remark()).isEmpty();
        }
        assertThat(remark()).isPresent();
    }

    @Test
    void damageIsNoReasonToStaySilent() throws IOException {
        leave(StoreKind.FILE, ACTION);
        Files.write(directory().resolve("tallystick.store"), new byte[] {1, 2, 3});

        assertThat(remark()).hasValueSatisfying(text -> assertThat(text)
                .startsWith("transactions may lie in directory=" + directory()));
    }

    @Test
    void aStoreThatIsTooLargeIsNotRead() {
        leave(StoreKind.SEGMENTED_CHANNEL, ACTION);

        assertThat(UnservedLog.remarkOn(directory(), 1000))
                .hasValueSatisfying(text -> assertThat(text).contains("transactions may lie", "too many for a look"));
    }

    private Map<Path, FileTime> files() throws IOException {
        Map<Path, FileTime> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(directory())) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                files.put(file, Files.getLastModifiedTime(file));
            }
        }
        return files;
    }
}
