package io.tallystick.tool.migrate;

import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StateImage;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * The number of states of each status, and one checksum over all states that does not depend on their order. Formula:
 * {@code checksum = CRC32C(c1 c2 ...)}, where {@code ci} is the checksum of a state, in the order of type and id.
 * {@code ci = CRC32C(key, committed, shadow, hidden)}: the key as it is printed, both values, and one byte that is 1
 * for a hidden state. A value is its length, -1 if it is absent, and its bytes. All numbers are big-endian.
 */
final class Tally {
    private final TreeMap<StateKey, Integer> checksums = new TreeMap<>(InspectedRecord.ORDER);
    private final Map<StateStatus, Integer> counts = new EnumMap<>(StateStatus.class);
    private long bytes;

    /** Counts a state; false if its key was counted already. */
    boolean add(StateKey key, StateImage image) {
        if (checksums.putIfAbsent(key, checksum(key, image)) != null) {
            return false;
        }
        counts.merge(image.status(), 1, Integer::sum);
        bytes += image.bytes();
        return true;
    }

    int states() {
        return checksums.size();
    }

    /** Bytes of state, both values. */
    long bytes() {
        return bytes;
    }

    Map<StateStatus, Integer> counts() {
        return Collections.unmodifiableMap(counts);
    }

    boolean has(StateKey key) {
        return checksums.containsKey(key);
    }

    /** Eight hexadecimal digits. */
    String checksum() {
        CRC32C crc = new CRC32C();
        checksums.values().forEach(each -> update(crc, each));
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }

    private static int checksum(StateKey key, StateImage image) {
        CRC32C crc = new CRC32C();
        crc.update(key.toString().getBytes(StandardCharsets.UTF_8));
        update(crc, image.committed());
        update(crc, image.shadow());
        crc.update(image.isHidden() ? 1 : 0);
        return (int) crc.getValue();
    }

    private static void update(CRC32C crc, byte[] value) {
        update(crc, value == null ? -1 : value.length);
        if (value != null) {
            crc.update(value);
        }
    }

    private static void update(CRC32C crc, int number) {
        crc.update(ByteBuffer.allocate(Integer.BYTES).putInt(number).flip());
    }
}
