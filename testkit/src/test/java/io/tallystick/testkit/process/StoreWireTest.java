package io.tallystick.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class StoreWireTest {
    private static final byte[] VALUE = new byte[100_000];

    @Test
    void anAnswerIsReadAsItWasWritten() throws IOException {
        assertThat((byte[]) answer(written()).value()).isEqualTo(VALUE);
    }

    /** The process of the store was killed while it sent a value. */
    @Test
    void aValueThatIsCutOffIsNoAnswer() throws IOException {
        byte[] whole = written();
        for (int length : new int[] {whole.length - 1, whole.length / 2, 20}) {
            assertThatThrownBy(() -> answer(Arrays.copyOf(whole, length))).isInstanceOf(EOFException.class);
        }
    }

    private static byte[] written() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new StoreWire.Answer(7, VALUE, null).writeTo(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private static StoreWire.Answer answer(byte[] bytes) throws IOException {
        return StoreWire.Answer.readFrom(new DataInputStream(new ByteArrayInputStream(bytes)));
    }
}
