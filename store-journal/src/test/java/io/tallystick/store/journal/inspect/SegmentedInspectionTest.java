package io.tallystick.store.journal.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.journal.segment.SegmentFormat;
import io.tallystick.store.journal.segment.SegmentedRotTest;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.InspectedFile.Role;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an inspection makes of damaged files beyond saying so; that it says so, {@link SegmentedRotTest} asks. */
class SegmentedInspectionTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final int KEYS = 30;

    private final SimulatedDisk disk = new SimulatedDisk();

    @BeforeEach
    void fill() {
        try (ObjectStore store = SegmentedRotTest.open(disk, DIRECTORY)) {
            for (int i = 0; i < KEYS; i++) {
                store.write(key(i), ("value-" + i).getBytes(StandardCharsets.UTF_8), Durability.DEFERRED);
                if (i % 10 == 9) {
                    store.force();
                }
            }
            store.writeShadow(key(3), "shadow".getBytes(StandardCharsets.UTF_8), Durability.FORCED);
            store.hide(key(4));
            store.remove(key(5), Durability.FORCED);
        }
    }

    @Test
    void everythingIsFoundWithItsStatusAndPlace() {
        StoreInspection found = inspect(disk);

        assertThat(found.damages()).isEmpty();
        assertThat(found.records()).hasSize(KEYS - 1);
        assertThat(found.record(key(3)).orElseThrow().status()).isEqualTo(StateStatus.SHADOW);
        assertThat(found.record(key(4)).orElseThrow().status()).isEqualTo(StateStatus.COMMITTED_HIDDEN);
        assertThat(found.record(key(5))).isEmpty();
        assertThat(found.files())
                .extracting(file -> file.role())
                .contains(Role.IDENTITY, Role.LOCK, Role.OWNER, Role.MARKER, Role.DATA, Role.SPARE);
        assertThat(found.settings()).containsEntry("tallystick.journal.engine", "segmented");
    }

    @Test
    void ofADamagedBatchAllButTheDamagedRecordIsFoundAndThatOneNamed() throws IOException {
        InspectedRecord hit = inspect(disk).record(key(12)).orElseThrow();
        flip(hit.file(), (int) hit.offset() + 32);

        StoreInspection found = inspect(disk);

        assertThat(found.records()).hasSize(KEYS - 2);
        assertThat(found.damages())
                .anySatisfy(damage -> assertThat(damage.kind()).isEqualTo(Damage.Kind.BATCH))
                .anySatisfy(damage -> {
                    assertThat(damage.kind()).isEqualTo(Damage.Kind.RECORD);
                    assertThat(damage.key()).contains(key(12));
                    assertThat(damage.offset()).isEqualTo(hit.offset());
                });
    }

    @Test
    void aSegmentWithoutItsHeaderIsReadByWhatItsBatchesSay() throws IOException {
        Path file = inspect(disk).record(key(12)).orElseThrow().file();
        byte[] content = disk.contents(file);
        Arrays.fill(content, 0, SegmentFormat.SEGMENT_HEADER_BYTES, (byte) 0x55);
        disk.replaceContents(file, content);

        StoreInspection found = inspect(disk);

        assertThat(found.damages()).extracting(damage -> damage.kind()).contains(Damage.Kind.HEADER);
        assertThat(found.records()).hasSize(KEYS - 1);
        assertThat(found.record(key(3)).orElseThrow().status()).isEqualTo(StateStatus.SHADOW);
    }

    @Test
    void aStoreWithoutItsIdentityIsReadByWhatItsSegmentsSay() throws IOException {
        StoreInspection before = inspect(disk);
        disk.delete(DIRECTORY.resolve(StoreIdentity.FILE_NAME));

        StoreInspection found = inspect(disk);

        assertThat(found.storeId()).isEqualTo(before.storeId());
        assertThat(found.records()).hasSize(KEYS - 1);
        assertThat(found.damages()).extracting(damage -> damage.kind()).containsExactly(Damage.Kind.IDENTITY);
    }

    @Test
    void whereTheDiskGivesNoBytesTheRestIsRead() {
        InspectedRecord hit = inspect(disk).record(key(12)).orElseThrow();

        StoreInspection found = new SegmentedInspector(failingAt(hit.file(), hit.offset())).inspect(DIRECTORY);

        assertThat(found.damages())
                .anySatisfy(damage -> {
                    assertThat(damage.kind()).isEqualTo(Damage.Kind.UNREADABLE);
                    assertThat(damage.file()).isEqualTo(hit.file());
                    assertThat(damage.offset()).isBetween(hit.offset() - 4096, hit.offset());
                })
                .anySatisfy(damage -> assertThat(damage.kind()).isEqualTo(Damage.Kind.BATCH));
        assertThat(found.record(key(12))).isEmpty();
        assertThat(found.records()).hasSizeGreaterThan(KEYS / 3);
    }

    /** A disk that never gives the bytes at this place. */
    private Disk failingAt(Path path, long offset) {
        return proxy(
                Disk.class,
                disk,
                (method, arguments, result) -> method.getName().equals("open") && arguments[0].equals(path)
                        ? proxy(DiskFile.class, (DiskFile) result, (read, given, count) -> {
                            if (read.getName().equals("read")) {
                                ByteBuffer target = (ByteBuffer) given[0];
                                long position = (Long) given[1];
                                if (position <= offset && offset < position + (Integer) count) {
                                    target.position(target.position() - (Integer) count);
                                    throw new IOException("Input/output error");
                                }
                            }
                            return count;
                        })
                        : result);
    }

    private interface After {
        Object call(Method method, Object[] arguments, Object result) throws IOException;
    }

    private static <T> T proxy(Class<T> type, T original, After after) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Object result;
                    try {
                        result = method.invoke(original, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                    return after.call(method, arguments, result);
                }));
    }

    private static StoreInspection inspect(Disk disk) {
        StoreInspection found = new SegmentedInspector(disk).inspect(DIRECTORY);
        List.copyOf(found.records()).forEach(InspectedRecord::image);
        return found;
    }

    private void flip(Path file, int offset) throws IOException {
        byte[] content = disk.contents(file);
        content[offset] ^= 1;
        disk.replaceContents(file, content);
    }

    private static StateKey key(int i) {
        return StateKey.of("/Type", ObjectId.of(new byte[] {(byte) i}));
    }
}
