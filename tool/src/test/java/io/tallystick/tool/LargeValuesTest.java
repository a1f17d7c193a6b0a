package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.command.ExitStatus;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A key with two large values, each of which the store takes. */
class LargeValuesTest {
    private static final int BYTES = 700 * 1024;

    @TempDir
    Path root;

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aKeyWithTwoLargeValuesIsCopiedByEachCommand(Kind kind) throws Exception {
        Path store = root.resolve("tx");
        byte[] committed = filled('c');
        byte[] shadow = filled('s');
        try (ObjectStore opened = open(kind, store)) {
            opened.write(TestStores.PLAIN, TestStores.bytes("the damaged one"), Durability.FORCED);
            opened.write(TestStores.SHADOW, committed, Durability.FORCED);
            opened.writeShadow(TestStores.SHADOW, shadow, Durability.FORCED);
        }
        Path backup = root.resolve("backup");
        Path restored = root.resolve("restored");

        ToolRun.of("compact", store).endsWith(ExitStatus.OK);
        ToolRun.of("backup", store, backup).endsWith(ExitStatus.OK);
        ToolRun.of("restore", backup, restored).endsWith(ExitStatus.OK);
        TestStores.damage(store, "the damaged one");
        ToolRun.of("repair", "--yes", store).endsWith(ExitStatus.OK);

        for (Path copy : new Path[] {store, restored}) {
            try (ObjectStore opened = open(kind, copy)) {
                assertThat(opened.read(TestStores.SHADOW))
                        .hasValueSatisfying(value -> assertThat(value).isEqualTo(committed));
                assertThat(opened.readShadow(TestStores.SHADOW))
                        .hasValueSatisfying(value -> assertThat(value).isEqualTo(shadow));
            }
        }
    }

    private static ObjectStore open(Kind kind, Path directory) {
        StoreConfiguration.Builder builder = kind.in(directory).toBuilder()
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, 4 * StoreOption.MIB)
                .set(StoreOption.MAX_STATE_SIZE, StoreOption.MIB);
        return ObjectStores.open(builder.build());
    }

    private static byte[] filled(char with) {
        byte[] value = new byte[BYTES];
        Arrays.fill(value, (byte) with);
        return value;
    }
}
