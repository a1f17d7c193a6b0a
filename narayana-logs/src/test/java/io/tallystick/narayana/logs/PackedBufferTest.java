package io.tallystick.narayana.logs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What the bytes of Narayana's buffers say, and that no length in them is believed. */
class PackedBufferTest {
    @Test
    void valuesComeBackAsTheyWerePackedWhateverTheirLength() throws MalformedException {
        for (int length = 0; length < 6; length++) {
            byte[] array = new byte[length];
            Arrays.fill(array, (byte) 7);
            PackedBuffer buffer = PackedBuffer.of(new PackedBytes()
                    .number(-1)
                    .array(array)
                    .text("t".repeat(length))
                    .number(Long.MIN_VALUE)
                    .number(1)
                    .toBytes());

            assertThat(buffer.readInt()).isEqualTo(-1);
            assertThat(buffer.readBytes()).isEqualTo(array);
            assertThat(buffer.readString()).isEqualTo("t".repeat(length));
            assertThat(buffer.readLong()).isEqualTo(Long.MIN_VALUE);
            assertThat(buffer.readBoolean()).isTrue();
            assertThat(buffer.isAtEnd()).isTrue();
        }
    }

    @Test
    void aTextOfLengthZeroWasNull() throws MalformedException {
        assertThat(PackedBuffer.of(new PackedBytes().number(0).toBytes()).readString())
                .isNull();
    }

    @Test
    void bytesWithoutTheHeaderAreNoBuffer() {
        for (byte[] bytes : new byte[][] {{}, {'#', 'B', 'E', 0, 0, 0, 0}, {'#', 'L', 'E', 0, 0, 0, 0, 0}}) {
            assertThatExceptionOfType(MalformedException.class)
                    .isThrownBy(() -> PackedBuffer.of(bytes))
                    .withMessageContaining("#BE");
        }
    }

    @Test
    void aLengthThatDoesNotFitIsRefusedWithItsPlace() {
        for (int length : new int[] {-1, 5, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            byte[] bytes = new PackedBytes().number(length).number(0).toBytes();
            assertThatExceptionOfType(MalformedException.class)
                    .isThrownBy(() -> PackedBuffer.of(bytes).readBytes())
                    .withMessage("bytes at offset=8 would have length=" + length + ", but only 4 bytes are left");
            assertThatExceptionOfType(MalformedException.class)
                    .isThrownBy(() -> PackedBuffer.of(bytes).readString());
        }
    }

    @Test
    void theEndInsideAValueIsTold() {
        byte[] bytes = Arrays.copyOf(new PackedBytes().number(1L).toBytes(), 15);
        assertThatExceptionOfType(MalformedException.class)
                .isThrownBy(() -> PackedBuffer.of(bytes).readLong())
                .withMessage("it ends at offset=8 within a long");
    }

    @Test
    void aTextWithoutItsZeroByteIsNoText() {
        byte[] bytes = new PackedBytes().array((byte) 'a', (byte) 'b').toBytes();
        assertThatExceptionOfType(MalformedException.class)
                .isThrownBy(() -> PackedBuffer.of(bytes).readString())
                .withMessageContaining("zero byte");
    }

    @Test
    void aUidHasItsLengthAndNoOther() throws MalformedException {
        assertThat(PackedBuffer.of(new PackedBytes()
                                .array(new byte[NarayanaUid.BYTES])
                                .toBytes())
                        .readUid())
                .hasSize(NarayanaUid.BYTES);
        byte[] shorter =
                new PackedBytes().array(new byte[NarayanaUid.BYTES - 1]).toBytes();
        assertThatExceptionOfType(MalformedException.class)
                .isThrownBy(() -> PackedBuffer.of(shorter).readUid())
                .withMessageContaining("length=27");
    }

    @Test
    void emptyBuffersBehindTheLastValueAreTheEndAndOtherBytesAreNot() throws MalformedException {
        byte[] header = new PackedBytes().toBytes();
        byte[] moved = Arrays.copyOf(header, 2 * header.length);
        System.arraycopy(header, 0, moved, header.length, header.length);
        assertThat(PackedBuffer.of(moved).isAtEnd()).isTrue();
        assertThat(PackedBuffer.of(Arrays.copyOf(moved, moved.length - 1)).isAtEnd())
                .isFalse();
        assertThat(PackedBuffer.of(Arrays.copyOf(header, 12)).isAtEnd()).isFalse();
    }

    @Test
    void noMoreValuesAreReadThanAllowed() throws MalformedException {
        PackedBuffer buffer =
                PackedBuffer.of(new PackedBytes().number(1).number(2).number(3).toBytes());
        buffer.limitTo(2);
        buffer.readInt();
        assertThat(buffer.isExhausted()).isFalse();
        buffer.readInt();
        assertThat(buffer.isExhausted()).isTrue();
        assertThatExceptionOfType(MalformedException.class)
                .isThrownBy(buffer::readInt)
                .withMessage("too many values");
    }
}
