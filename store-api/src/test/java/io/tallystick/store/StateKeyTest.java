package io.tallystick.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StateKeyTest {
    private static final ObjectId ID = ObjectId.parse("0a1b");

    @Test
    void keysOfTheSameTypeAndIdAreEqual() {
        StateKey key = StateKey.of("/A/B", ID);

        assertThat(StateKey.of("/A/B", ObjectId.parse("0a1b")))
                .isEqualTo(key)
                .hasSameHashCodeAs(key)
                .hasToString("/A/B:0a1b");
        assertThat(StateKey.of("/A/b", ID)).isNotEqualTo(key);
        assertThat(StateKey.of("/A", ID)).isNotEqualTo(key);
        assertThat(StateKey.of("/A/B", ObjectId.parse("0a1c"))).isNotEqualTo(key);
        assertThat(key).isNotEqualTo("/A/B:0a1b");
        assertThat(key.type()).isEqualTo("/A/B");
        assertThat(key.id()).isEqualTo(ID);
    }

    @Test
    void keyWithAnotherIdKeepsItsType() {
        ObjectId other = ObjectId.parse("ff");

        assertThat(StateKey.of("/A", ID).withId(other)).isEqualTo(StateKey.of("/A", other));
        assertThatThrownBy(() -> StateKey.of("/A", ID).withId(null)).isInstanceOf(NullPointerException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/A",
                "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction",
                "/a:b:00",
                "/..",
                "/\0\n\t",
                "/ \\ ",
                "/\u00e4\u4e2d\ud83d\ude00"
            })
    void textOfAKeyIsReadBack(String type) {
        StateKey key = StateKey.of(type, ID);

        assertThat(StateKey.parse(key.toString())).isEqualTo(key);
    }

    @Test
    void everyElementMustHaveSomething() {
        for (String type : List.of("/", "//", "/a/", "/a//b", "//a")) {
            assertThatThrownBy(() -> StateKey.of(type, ID))
                    .as(type)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("type name '" + type + "' has an empty element");
        }
    }

    @Test
    void typeMustBeginWithASlash() {
        for (String type : List.of("", "a", "a/b", ".", "../../x", " /a")) {
            assertThatThrownBy(() -> StateKey.of(type, ID))
                    .as(type)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("type name '" + type + "' does not begin with '/'");
        }
    }

    @Test
    void typeMustBeText() {
        for (String type : List.of("/\ud83d", "/\ude00", "/\ude00\ud83d", "/a\ud83d/b")) {
            assertThatThrownBy(() -> StateKey.of(type, ID))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("half a surrogate pair");
        }
    }

    @Test
    void lengthIsMeasuredInBytesOfUtf8() {
        int most = StateKey.MAX_TYPE_BYTES;
        assertAccepted("/" + "x".repeat(most - 1));
        assertTooLong("/" + "x".repeat(most), most + 1);
        assertAccepted("/x" + "\u00e4".repeat((most - 2) / 2));
        assertTooLong("/" + "\u00e4".repeat(most / 2), most + 1);
        assertAccepted("/" + "\u4e2d".repeat((most - 1) / 3));
        assertTooLong("/x" + "\u4e2d".repeat((most - 1) / 3), most + 1);
        assertAccepted("/xyz" + "\ud83d\ude00".repeat((most - 4) / 4));
        assertTooLong("/" + "\ud83d\ude00".repeat(most / 4), most + 1);
    }

    private static void assertAccepted(String type) {
        assertThatCode(() -> StateKey.of(type, ID)).doesNotThrowAnyException();
    }

    private static void assertTooLong(String type, int bytes) {
        assertThatThrownBy(() -> StateKey.of(type, ID))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has length=" + bytes + " bytes of UTF-8; the maximum is 1024")
                .message()
                .hasSizeLessThan(400);
    }

    @Test
    void textThatIsNoKeyIsRefusedSayingWhy() {
        assertThatThrownBy(() -> StateKey.parse("/A"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'/A' has no colon");
        assertThatThrownBy(() -> StateKey.parse("/A:"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("length=0");
        assertThatThrownBy(() -> StateKey.parse("/A:0"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'0' is not an even number of hexadecimal digits");
        assertThatThrownBy(() -> StateKey.parse(":00")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void printableFormHasNoControlCharacters() {
        StateKey hostile = StateKey.of("/a\n\u001b[31m\u202e\u0000", ID);

        assertThat(hostile.toPrintable()).isEqualTo("/a\\u000a\\u001b[31m\\u202e\\u0000:0a1b");
    }

    @Test
    void nullIsRefused() {
        assertThatThrownBy(() -> StateKey.of(null, ID)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> StateKey.of("/A", null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> StateKey.parse(null)).isInstanceOf(NullPointerException.class);
    }
}
