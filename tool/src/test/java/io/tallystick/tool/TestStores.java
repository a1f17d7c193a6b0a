package io.tallystick.tool;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.StoreInspector;
import io.tallystick.store.spi.StoreInspectors;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Stores to try the tool on. */
public final class TestStores {
    /** A type as Narayana has it. */
    static final String ACTION = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";

    public static final StateKey PLAIN = StateKey.of(ACTION, ObjectId.parse("0a01"));
    public static final StateKey SECOND = StateKey.of(ACTION, ObjectId.parse("0a02"));
    /** With a Uid of Narayana. */
    public static final StateKey UID =
            StateKey.of(ACTION, ObjectId.parse("0000000000000000ffffffff7f000001ffffedcb6566a5e200000012"));

    public static final StateKey SHADOW = StateKey.of("/Shop/Order", ObjectId.parse("0b01"));
    public static final StateKey HIDDEN = StateKey.of("/Shop/Order", ObjectId.parse("0b02"));
    public static final StateKey BOTH_HIDDEN = StateKey.of("/Shop/Order", ObjectId.parse("0b03"));
    public static final StateKey STRANGE = StateKey.of("/Shop/\u001b[31mrot\\", ObjectId.parse("0c01"));

    private TestStores() {}

    /** Every kind of store that has a directory. */
    public enum Kind {
        FILE("file", "segmented", "file-v1"),
        SEGMENTED("journal", "segmented", "journal-segmented-v1"),
        ARTEMIS("journal", "artemis", "journal-artemis-v1");

        private final String store;
        private final String engine;
        private final String directoryKind;

        Kind(String store, String engine, String directoryKind) {
            this.directoryKind = directoryKind;
            this.store = store;
            this.engine = engine;
        }

        public StoreConfiguration in(Path directory) {
            return StoreConfiguration.builder()
                    .store(store)
                    .directory(directory)
                    .set(StoreOption.JOURNAL_ENGINE, engine)
                    .set(StoreOption.JOURNAL_IO, "channel")
                    .set(StoreOption.JOURNAL_SEGMENT_SIZE, 256 * StoreOption.KIB)
                    .set(StoreOption.MAX_STATE_SIZE, 16 * StoreOption.KIB)
                    .build();
        }

        public ObjectStore open(Path directory) {
            return ObjectStores.open(in(directory));
        }
    }

    /** The kinds that can be looked into without opening them. */
    static Stream<Kind> inspectable() {
        List<String> kinds =
                StoreInspectors.all().stream().map(StoreInspector::kind).toList();
        return Arrays.stream(Kind.values()).filter(kind -> kinds.contains(kind.directoryKind));
    }

    /** A closed store with a key of each status in it. */
    public static Path filled(Kind kind, Path directory) {
        try (ObjectStore store = kind.open(directory)) {
            fill(store);
        }
        return directory;
    }

    public static void fill(ObjectStore store) {
        store.write(PLAIN, bytes("plain"), Durability.DEFERRED);
        store.write(SECOND, bytes("second\u0007"), Durability.DEFERRED);
        store.write(UID, bytes("#ARJUNA# no record"), Durability.DEFERRED);
        store.writeShadow(SHADOW, bytes("shadow"), Durability.DEFERRED);
        store.write(HIDDEN, bytes("hidden"), Durability.DEFERRED);
        store.hide(HIDDEN);
        store.write(BOTH_HIDDEN, bytes("committed"), Durability.DEFERRED);
        store.writeShadow(BOTH_HIDDEN, bytes("next"), Durability.DEFERRED);
        store.hide(BOTH_HIDDEN);
        store.write(STRANGE, bytes("strange"), Durability.FORCED);
    }

    /** Turns one bit of the first place where these bytes stand in a file below the directory. */
    public static Path damage(Path directory, String bytes) throws IOException {
        byte[] wanted = bytes(bytes);
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                byte[] content = Files.readAllBytes(file);
                for (int at = 0; at + wanted.length <= content.length; at++) {
                    if (Arrays.equals(content, at, at + wanted.length, wanted, 0, wanted.length)) {
                        content[at] ^= 1;
                        Files.write(file, content);
                        return file;
                    }
                }
            }
        }
        throw new AssertionError("'" + bytes + "' stands in no file of " + directory);
    }

    /** Name, size and content of everything in the directory, to tell whether it was touched. */
    public static Map<String, String> snapshot(Path directory) throws IOException {
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.toList()) {
                String name = directory.relativize(file).toString();
                boolean isFile = Files.isRegularFile(file);
                found.put(
                        name,
                        Files.getLastModifiedTime(file) + " "
                                + (isFile ? Arrays.hashCode(Files.readAllBytes(file)) : "directory"));
            }
        }
        return found;
    }

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public static List<StateKey> keys() {
        return List.of(PLAIN, SECOND, UID, SHADOW, HIDDEN, BOTH_HIDDEN, STRANGE);
    }
}
