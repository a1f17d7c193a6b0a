package io.tallystick.store.journal;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.stream.Stream;

/** Golden stores of the test resources, and dumps as the format pages have them. */
public final class GoldenFiles {
    private GoldenFiles() {}

    /** Copies a golden store, so that it may be opened. */
    public static Path copy(String resource, Path target) throws IOException, URISyntaxException {
        Path source =
                Path.of(GoldenFiles.class.getClassLoader().getResource(resource).toURI());
        try (Stream<Path> tree = Files.walk(source)) {
            for (Path path : tree.toList()) {
                Files.copy(path, target.resolve(source.relativize(path)));
            }
        }
        return target;
    }

    /** Lines of 16 bytes. */
    public static String dump(byte[] bytes, int from, int count) {
        StringBuilder text = new StringBuilder();
        for (int at = from; at < from + count; at += 16) {
            text.append(String.format("%04x  ", at))
                    .append(HexFormat.ofDelimiter(" ").formatHex(bytes, at, Math.min(from + count, at + 16)))
                    .append('\n');
        }
        return text.toString();
    }
}
