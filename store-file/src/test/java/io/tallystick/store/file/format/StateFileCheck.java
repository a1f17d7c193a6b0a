package io.tallystick.store.file.format;

import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.spi.StateImage;
import io.tallystick.testkit.disk.ArrayFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Reads any bytes as a state file. They are refused with an error that names the file, or they are the very bytes that
 * the encoder makes of what was read. Nothing else is thrown.
 */
final class StateFileCheck {
    private static final Path FILE = Path.of("/0a1b.state");
    private static final byte[] STORE = "sixteen bytes id".getBytes(StandardCharsets.US_ASCII);
    private static final int SOUND_FILES = 8;

    private StateFileCheck() {}

    /** Writes sound files, as first inputs of the fuzzer, into a directory. */
    public static void main(String[] arguments) throws IOException {
        Path directory = Files.createDirectories(Path.of(arguments[1]));
        for (int i = 0; i < SOUND_FILES; i++) {
            byte[] type = "/Some/\u00dcber".getBytes(StandardCharsets.UTF_8);
            StateKey key = StateKey.of(new String(type, StandardCharsets.UTF_8), ObjectId.of(new byte[1 + 8 * i]));
            byte[] committed = i % 3 == 0 ? null : new byte[5 * i];
            byte[] shadow = committed == null || i % 2 == 0 ? new byte[7 * i] : null;
            StateImage image = StateImage.of(committed, shadow, i > SOUND_FILES / 2);
            ByteBuffer file = new StateFileEncoder(STORE, 7).encode(key, type, image, i);
            int used = StateFileFormat.HEADER_BYTES + type.length + key.id().length() + (int) image.bytes();
            ByteBuffer input = ByteBuffer.allocate(1 + used).put((byte) 1).put(file.array(), 0, used);
            Files.write(directory.resolve("sound-" + i), input.array());
        }
    }

    /**
     * The target of the fuzzer {@code testkit/fuzz state-file}. Zeros are added up to a whole block. The first byte
     * decides whether both checksums are made to fit.
     */
    public static boolean fuzzerTestOneInput(byte[] input) throws IOException {
        if (input.length <= StateFileFormat.HEADER_BYTES) {
            return false;
        }
        int length = input.length - 1;
        byte[] file = new byte[(int) StateFileFormat.fileBytes(length - StateFileFormat.HEADER_BYTES)];
        System.arraycopy(input, 1, file, 0, length);
        if ((input[0] & 1) != 0) {
            sign(file);
        }
        return isStateFile(file);
    }

    private static void sign(byte[] file) {
        ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(StateFileFormat.STORE_OFFSET, STORE);
        long body = (long) bytes.getShort(StateFileFormat.TYPE_LENGTH_OFFSET)
                + bytes.get(StateFileFormat.ID_LENGTH_OFFSET)
                + bytes.getInt(StateFileFormat.COMMITTED_LENGTH_OFFSET)
                + bytes.getInt(StateFileFormat.SHADOW_LENGTH_OFFSET);
        if (body >= 0 && body <= file.length - StateFileFormat.HEADER_BYTES) {
            bytes.putInt(
                    StateFileFormat.BODY_CHECKSUM_OFFSET,
                    StateFileFormat.checksum(file, StateFileFormat.HEADER_BYTES, (int) body));
        }
        bytes.putInt(
                StateFileFormat.HEADER_CHECKSUM_OFFSET,
                StateFileFormat.checksum(file, 0, StateFileFormat.HEADER_CHECKSUM_OFFSET));
    }

    /**
     * Whether the bytes are a state file.
     *
     * @throws AssertionError they are taken for a file that no encoder makes, or the refusal does not name the file
     */
    private static boolean isStateFile(byte[] file) throws IOException {
        try {
            StateFileReader.Content content = new StateFileReader(FILE, STORE).read(new ArrayFile(FILE, file));
            StateKey key = content.key();
            ByteBuffer again = new StateFileEncoder(STORE, content.opening())
                    .encode(key, key.type().getBytes(StandardCharsets.UTF_8), content.image(), content.sequence());
            if (!Arrays.equals(again.array(), file)) {
                throw new AssertionError("taken for " + content);
            }
            return true;
        } catch (CorruptStoreException | UnsupportedFormatException refused) {
            if (!refused.getMessage().contains(FILE.toString())) {
                throw new AssertionError("it does not name the file", refused);
            }
            return false;
        }
    }
}
