package io.tallystick.store.file.format;

import io.tallystick.store.ObjectId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Takes any text for a path below the directory of the states. If a type or an id is found in it, these have the very
 * names of the text, and no others: two names never mean one key. Nothing is thrown.
 */
final class FileNamesCheck {
    private FileNamesCheck() {}

    /** Writes names, as first inputs of the fuzzer, into a directory. */
    public static void main(String[] arguments) throws IOException {
        Path directory = Files.createDirectories(Path.of(arguments[1]));
        List<String> types = List.of("/StateManager/BasicAction", "/a-b c", "/\u00e4/Z", "/" + "x".repeat(200) + "/y");
        for (int i = 0; i < types.size(); i++) {
            String path = String.join("/", FileNames.directoriesOf(types.get(i)));
            Files.writeString(directory.resolve("type-" + i), path);
        }
        Files.writeString(directory.resolve("id"), FileNames.stateOf(ObjectId.of(new byte[] {10, 27})));
        Files.writeString(directory.resolve("spare"), FileNames.spare(77));
    }

    /** The target of the fuzzer {@code testkit/fuzz file-names}. */
    public static boolean fuzzerTestOneInput(byte[] input) {
        return namesKey(new String(input, StandardCharsets.UTF_8));
    }

    /**
     * Whether the text is the directory of a type or the file of an id.
     *
     * @throws AssertionError what was found has other names
     */
    private static boolean namesKey(String text) {
        List<String> directories = List.of(text.split("/", -1));
        Optional<String> type = FileNames.typeOf(directories);
        if (type.isPresent() && !FileNames.directoriesOf(type.get()).equals(directories)) {
            throw new AssertionError(text + " is not where the states of " + type.get() + " are");
        }
        Optional<ObjectId> id = FileNames.idOf(text);
        if (id.isPresent() && !FileNames.stateOf(id.get()).equals(text)) {
            throw new AssertionError(text + " is not the file of " + id.get());
        }
        if (FileNames.isSpare(text) && (id.isPresent() || FileNames.isDirectory(text))) {
            throw new AssertionError(text + " is a spare file and something else");
        }
        return type.isPresent() || id.isPresent();
    }
}
