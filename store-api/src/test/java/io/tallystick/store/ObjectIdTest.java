package io.tallystick.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.text.Printable;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ObjectIdTest {
    @Test
    void anIdOfAUuidHasItsBytesInTheOrderOfItsText() {
        UUID uuid = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");

        assertThat(ObjectId.of(uuid)).hasToString("00112233445566778899aabbccddeeff");
        assertThatThrownBy(() -> ObjectId.of((UUID) null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void idsOfTheSameBytesAreEqualAndOfOneHashAtEveryLength() {
        Random random = new Random(1);
        for (int length = 1; length <= ObjectId.MAX_BYTES; length++) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            ObjectId id = ObjectId.of(bytes);
            assertThat(ObjectId.of(bytes)).isEqualTo(id).hasSameHashCodeAs(id);
            assertThat(ObjectId.parse(id.toString())).isEqualTo(id).hasSameHashCodeAs(id);
            for (int i = 0; i < length; i++) {
                bytes[i] ^= 1;
                assertThat(ObjectId.of(bytes))
                        .as("length=%d byte=%d", length, i)
                        .isNotEqualTo(id);
                assertThat(ObjectId.of(bytes).hashCode())
                        .as("hash, length=%d byte=%d", length, i)
                        .isNotEqualTo(id.hashCode());
                bytes[i] ^= 1;
            }
        }
    }

    @Test
    void anIdHasOneToSixtyFourBytes() {
        for (int length : new int[] {0, ObjectId.MAX_BYTES + 1}) {
            assertThatThrownBy(() -> ObjectId.of(new byte[length]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("length=" + length);
        }
    }

    /** Of 2^16 random hashes about 63 % of the places of a table of that size are met; a poor hash meets far fewer. */
    @Test
    void idsThatDifferInACounterAloneSpreadOverAHashTable() {
        int places = 1 << 16;
        for (int counterAt : new int[] {0, 4, 20, 24}) {
            BitSet low = new BitSet(places);
            BitSet high = new BitSet(places);
            for (int i = 0; i < places; i++) {
                byte[] bytes = ByteBuffer.allocate(28)
                        .putLong(0, 0x7f000001L)
                        .putInt(counterAt, i)
                        .array();
                int hash = ObjectId.of(bytes).hashCode();
                low.set(hash & (places - 1));
                high.set(hash >>> 16);
            }
            assertThat(low.cardinality())
                    .as("counter at %d, low bits", counterAt)
                    .isBetween(41_000, 42_000);
            assertThat(high.cardinality())
                    .as("counter at %d, high bits", counterAt)
                    .isBetween(41_000, 42_000);
        }
    }

    @Test
    void bytesBelongToTheId() {
        byte[] bytes = {1, 2};
        ObjectId id = ObjectId.of(bytes);
        bytes[0] = 9;
        id.toBytes()[1] = 9;

        assertThat(id.toBytes()).containsExactly(1, 2);
        assertThat(id.length()).isEqualTo(2);
        byte[] target = new byte[4];
        id.copyTo(target, 1);
        assertThat(target).containsExactly(0, 1, 2, 0);
    }

    @Test
    void idsAreOrderedByTheirBytesAsUnsignedNumbers() {
        assertThat(Stream.of("ff", "00", "7f", "0000", "80", "7fff")
                        .map(ObjectId::parse)
                        .sorted())
                .extracting(ObjectId::toString)
                .containsExactly("00", "0000", "7f", "7fff", "80", "ff");
    }

    @Test
    void textIsReadInEitherCaseAndWrittenInLowerCase() {
        assertThat(ObjectId.parse("0A1bFF")).hasToString("0a1bff");
    }

    @Test
    void textThatIsNoIdIsRefusedSayingWhy() {
        for (String text : List.of("0", "0g", "0x00", " 00", "-1", "00\n")) {
            assertThatThrownBy(() -> ObjectId.parse(text))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("object id '" + Printable.of(text) + "' is not an even number of hexadecimal digits");
        }
        assertThatThrownBy(() -> ObjectId.parse("")).hasMessageContaining("length=0");
        assertThatThrownBy(() -> ObjectId.parse("00".repeat(65))).hasMessageContaining("length=65");
        assertThatThrownBy(() -> ObjectId.parse(null)).isInstanceOf(NullPointerException.class);
    }
}
