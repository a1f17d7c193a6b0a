package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.testkit.disk.FileDamage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Flips every bit of a small closed store in turn: of all bytes that are not zero, and of some zeros behind each. A
 * case goes on where the case before ended. After the last bit it begins again.
 */
public final class BitsStage implements Stage {
    private static final String BITS = "bits";
    private static final int BITS_A_CASE = 100;
    private static final int ZEROS_BEHIND = 4;

    @Override
    public String name() {
        return "bits";
    }

    @Override
    public String description() {
        return "every bit in use of a small closed store is flipped in turn; the store reports it, or no state changes";
    }

    @Override
    public String unit() {
        return BITS;
    }

    @Override
    public long quickCount() {
        return 2_000;
    }

    @Override
    public long fullCount() {
        return 500_000;
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        if (!subject.is(Trait.DURABLE)) {
            return Optional.of("it has no files");
        }
        return subject.is(Trait.ANY_DISK)
                ? Optional.empty()
                : Optional.of("its files are those of the same engine over channel and direct, or of a peer");
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        ScratchStore scratchStore = ScratchStore.of(subject, scratch);
        StoreContent content;
        try (ObjectStore store = scratchStore.open()) {
            for (int i = 0; i < 3; i++) {
                StateKey key = StateKey.of(
                        "/Bits", ObjectId.of(ByteBuffer.allocate(4).putInt(i).array()));
                store.write(key, new byte[] {1, (byte) i, 3, 4, 5, 6, 7, 8, 9}, Durability.FORCED);
                store.writeShadow(key, new byte[] {(byte) i}, Durability.FORCED);
            }
            store.remove(StateKey.of("/Bits", ObjectId.of(new byte[4])), Durability.FORCED);
            content = StoreContent.of(store);
        }
        Map<String, byte[]> files = new TreeMap<>(scratchStore.files());
        List<Long> bits = bitsInUse(files);
        DamagedStoreCheck check = new DamagedStoreCheck(scratchStore);
        return seed -> {
            for (int i = 0; i < BITS_A_CASE; i++) {
                int next = (int) Math.floorMod((seed - 1) * BITS_A_CASE + i, (long) bits.size());
                check.check(FileDamage.bit(files, bits.get(next)), content);
            }
            return Counts.of(BITS, BITS_A_CASE)
                    .and("rounds of " + bits.size() + " bits begun", begins(seed, bits.size()));
        };
    }

    private static int begins(long seed, int bits) {
        return Math.floorMod((seed - 1) * BITS_A_CASE, (long) bits) < BITS_A_CASE ? 1 : 0;
    }

    private static List<Long> bitsInUse(Map<String, byte[]> sorted) {
        List<Long> bits = new ArrayList<>();
        long before = 0;
        for (byte[] bytes : sorted.values()) {
            int last = -1 - ZEROS_BEHIND;
            for (int at = 0; at < bytes.length; at++) {
                last = bytes[at] == 0 ? last : at;
                for (int bit = 0; bit < 8 && at - last <= ZEROS_BEHIND; bit++) {
                    bits.add(before + 8L * at + bit);
                }
            }
            before += 8L * bytes.length;
        }
        return bits;
    }
}
