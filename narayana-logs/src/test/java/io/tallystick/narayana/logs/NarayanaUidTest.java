package io.tallystick.narayana.logs;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.ObjectId;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The text of a Uid and its bytes are one thing, and no other spelling is a Uid. */
class NarayanaUidTest {
    private static final String UID = "0:ffff7f000001:-73d5:6560f5a3:12";

    @Test
    void aUidComesBackAsItsText() {
        Optional<ObjectId> id = NarayanaUid.parse(UID, ':');
        assertThat(id).isPresent();
        assertThat(id.get().length()).isEqualTo(NarayanaUid.BYTES);
        assertThat(NarayanaUid.text(id.get())).isEqualTo(UID);
        assertThat(NarayanaUid.parse(UID.replace(':', '_'), '_')).isEqualTo(id);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0:0:0:0:0", // the null Uid
                "0:1:2:3",
                "0:1:2:3:4:5",
                "0:1:2:3:",
                "0:1:2:3:04",
                "0:1:2:3:+4",
                "0:1:2:3:A",
                "0:1:2:3:x",
                "0:1:80000000:3:4", // an int does not hold it
                "8000000000000000:1:2:3:4",
                "0:1:2:3:-0"
            })
    void anotherSpellingIsNoUid(String text) {
        assertThat(NarayanaUid.parse(text, ':')).isEmpty();
    }

    @Test
    void theLargestNumbersOfEachPartAreKept() {
        String largest = "7fffffffffffffff:-8000000000000000:7fffffff:-80000000:1";
        assertThat(NarayanaUid.parse(largest, ':').map(NarayanaUid::text)).contains(largest);
    }

    @Test
    void anIdOfAnotherLengthIsPrintedAsItsDigits() {
        ObjectId id = ObjectId.of(new byte[] {1, 2, 3});
        assertThat(NarayanaUid.text(id)).isEqualTo(id.toString()).isEqualTo("010203");
    }
}
