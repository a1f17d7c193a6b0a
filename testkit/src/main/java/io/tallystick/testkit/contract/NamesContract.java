package io.tallystick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.testkit.States;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Type names and ids are data: any two stay distinct, come back unchanged, and never name a file outside the directory.
 */
interface NamesContract extends StoreContract {
    /** Valid type names that have a meaning to a file system, a shell or a terminal, or have the greatest length. */
    List<String> HOSTILE_TYPES = List.of(
            "/..",
            "/../../x",
            "/../../../../../../../../tmp/x",
            "/.",
            "/./x",
            "/x/..",
            "/...",
            "/\0",
            "/a\0b",
            "/a\nb",
            "/a\r\nb",
            "/a\tb",
            "/a\\b",
            "/..\\..\\x",
            "/C:\\x",
            "/CON",
            "/con",
            "/nul.txt",
            "/LPT1",
            "/%2f",
            "/%2F",
            "/%2e%2e",
            "/%",
            "/%%",
            "/%zz",
            "/+",
            "/ ",
            "/a",
            "/a ",
            "/a  ",
            "/a.",
            "/a..",
            "/ a",
            "/A",
            "/A/B",
            "/A/b",
            "/A/B/C",
            "/aB",
            "/Ab",
            "/AB",
            "/:",
            "/a:b",
            "/a:00",
            "/*?<>|\"'`$(x);&",
            "/~",
            "/-rf",
            "/#",
            "/=",
            "/,",
            "/_",
            "/!",
            "/tallystick.lock",
            "/tallystick.owner",
            "/tallystick.store",
            "/tallystick.store.tmp",
            "/x.tmp",
            "/00000000.segment",
            "/\u0001",
            "/\u001b[31m",
            "/\u007f",
            "/\u0085",
            "/\u00e4",
            "/a\u0308",
            "/\u202egpj",
            "/\ufeff",
            "/\uffff",
            "/\uff0f",
            "/\u2044",
            "/\ud83d\ude00",
            "/\u4e2d\u6587",
            "/" + "x".repeat(255),
            "/" + "x".repeat(256),
            "/" + "x".repeat(StateKey.MAX_TYPE_BYTES - 1),
            "/" + "X".repeat(StateKey.MAX_TYPE_BYTES - 1),
            "/" + "%".repeat(StateKey.MAX_TYPE_BYTES - 1),
            "/" + ".".repeat(StateKey.MAX_TYPE_BYTES - 1),
            "/" + "\0".repeat(StateKey.MAX_TYPE_BYTES - 1),
            "/" + "\u00e9".repeat((StateKey.MAX_TYPE_BYTES - 2) / 2) + "x",
            "/" + "\ud83d\ude00".repeat((StateKey.MAX_TYPE_BYTES - 4) / 4) + "xyz",
            "/a".repeat(StateKey.MAX_TYPE_BYTES / 2),
            "/..".repeat(StateKey.MAX_TYPE_BYTES / 3));

    /** Texts that are not type names. */
    List<String> INVALID_TYPES = List.of(
            "",
            "x",
            "..",
            "../../x",
            ".",
            "/",
            "//",
            "/a/",
            "/a//b",
            "//a",
            "\\x",
            "/a\ud83d",
            "/\ude00a",
            "/\ude00\ud83d",
            "/" + "x".repeat(StateKey.MAX_TYPE_BYTES),
            "/" + "\u00e9".repeat(StateKey.MAX_TYPE_BYTES / 2));

    @TestFactory
    default Stream<DynamicNode> everyTypeNameIsKeptApartAndComesBack() {
        List<DynamicTest> writes = new ArrayList<>();
        List<DynamicTest> reads = new ArrayList<>();
        for (int i = 0; i < HOSTILE_TYPES.size(); i++) {
            String type = HOSTILE_TYPES.get(i);
            StateKey key = subject().key(type, 1);
            byte[] state = States.of("state " + i);
            String shown = i + " " + shown(type);
            writes.add(dynamicTest(shown, () -> {
                store().write(key, state, Durability.FORCED);
                store().writeShadow(key, States.of("shadow"), Durability.DEFERRED);
                assertThat(store().keys(type)).containsExactly(key);
                assertThat(store().types()).contains(type);
            }));
            reads.add(dynamicTest(shown, () -> {
                assertThat(store().keys(type)).containsExactly(key);
                assertThat(store().read(key)).contains(state);
                assertThat(store().readShadow(key)).contains(States.of("shadow"));
            }));
        }
        List<DynamicNode> nodes = new ArrayList<>();
        nodes.add(dynamicContainer("written", writes));
        nodes.add(dynamicContainer("read", reads));
        nodes.add(dynamicTest("all types are listed", this::checkAllHostileTypes));
        if (subject().hasDirectory()) {
            nodes.add(dynamicTest("nothing is outside the directory", this::checkNothingEscaped));
        }
        if (subject().isDurable()) {
            nodes.add(dynamicTest("close and open again", subject()::reopened));
            nodes.add(dynamicContainer("after opening again", reads));
            nodes.add(dynamicTest("all types are listed after opening again", this::checkAllHostileTypes));
        }
        nodes.add(dynamicTest("removing one leaves the others", this::checkRemovalOneByOne));
        return nodes.stream();
    }

    private void checkAllHostileTypes() {
        assertThat(store().types()).containsExactlyInAnyOrderElementsOf(HOSTILE_TYPES);
    }

    private void checkNothingEscaped() throws IOException {
        Path parent = subject().directory().getParent();
        try (Stream<Path> siblings = Files.list(parent)) {
            assertThat(siblings).containsExactly(subject().directory());
        }
        try (Stream<Path> tree = Files.walk(subject().directory())) {
            assertThat(tree)
                    .allMatch(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
                            || Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS));
        }
    }

    private void checkRemovalOneByOne() {
        HashSet<String> left = new HashSet<>(HOSTILE_TYPES);
        for (String type : HOSTILE_TYPES) {
            StateKey key = subject().key(type, 1);
            assertThat(store().remove(key, Durability.DEFERRED)).isTrue();
            assertThat(store().discardShadow(key, Durability.DEFERRED)).isTrue();
            left.remove(type);
            assertThat(store().types()).isEqualTo(left);
        }
    }

    @TestFactory
    default Stream<DynamicTest> anInvalidTypeNameHasNoKeys() {
        return INVALID_TYPES.stream()
                .map(type -> dynamicTest(shown(type), () -> {
                    assertThatThrownBy(() -> subject().key(type, 1)).isInstanceOf(IllegalArgumentException.class);
                    store().write(key(1), States.of("here"), Durability.DEFERRED);
                    List<StateKey> keys;
                    try {
                        keys = store().keys(type);
                    } catch (IllegalArgumentException refused) {
                        keys = List.of();
                    }
                    assertThat(keys).isEmpty();
                }));
    }

    @Test
    default void idsOfEveryFormAreKeptApartAndComeBack() {
        List<StateKey> keys = new ArrayList<>();
        for (ObjectId id : subject().edgeIds()) {
            keys.add(StateKey.of(StoreUnderTest.TYPE, id));
        }
        keys.add(key(0));
        keys.add(key(-1));
        keys.add(key(Long.MIN_VALUE));
        for (StateKey key : keys) {
            store().write(key, States.of("state of " + key), Durability.DEFERRED);
        }
        subject().nowAndAfterReopening(store -> {
            assertThat(store.keys(StoreUnderTest.TYPE)).containsExactlyInAnyOrderElementsOf(keys);
            for (StateKey key : keys) {
                assertThat(store.read(key)).as(key.toString()).contains(States.of("state of " + key));
            }
        });
        StateKey removed = keys.remove(0);
        assertThat(store().remove(removed, Durability.FORCED)).isTrue();
        subject().nowAndAfterReopening(store -> {
            assertThat(store.statusOf(removed)).isEqualTo(StateStatus.ABSENT);
            assertThat(store.keys(StoreUnderTest.TYPE)).containsExactlyInAnyOrderElementsOf(keys);
        });
    }

    @Test
    default void oneIdInSeveralTypesIsSeveralKeys() {
        List<String> types = List.of("/A", "/A/B", "/A/B/C", "/B");
        for (String type : types) {
            store().write(subject().key(type, 7), States.of(type), Durability.DEFERRED);
        }
        subject().nowAndAfterReopening(store -> {
            for (String type : types) {
                assertThat(store.read(subject().key(type, 7))).contains(States.of(type));
                assertThat(store.keys(type)).containsExactly(subject().key(type, 7));
            }
        });
        store().remove(subject().key("/A/B", 7), Durability.FORCED);
        subject().nowAndAfterReopening(store -> assertThat(store.types())
                .containsExactlyInAnyOrder("/A", "/A/B/C", "/B"));
    }

    private static String shown(String type) {
        StringBuilder shown = new StringBuilder();
        type.chars()
                .limit(40)
                .forEach(c -> shown.append(
                        c > ' ' && c < 0x7f ? String.valueOf((char) c) : String.format(Locale.ROOT, "<%04x>", c)));
        return "'" + shown + "'" + (type.length() > 40 ? "... length=" + type.length() : "");
    }
}
