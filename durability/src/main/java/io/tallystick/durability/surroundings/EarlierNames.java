package io.tallystick.durability.surroundings;

import io.tallystick.durability.system.LoopVolume;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Names of segments as builds before 0.1 wrote them: the ending was {@code .log}, and the digits were those of the
 * locale of the process. See docs/format/journal-v1.md.
 */
final class EarlierNames {
    private static final Pattern NAME = Pattern.compile("segment-([0-9]{6})\\.seg");
    // The digits 0 of such locales: ASCII, Persian, Arabic, Bengali, Devanagari, Myanmar, Thai.
    private static final int[] ZEROS = {'0', 0x6F0, 0x660, 0x9E6, 0x966, 0x1040, 0xE50};

    private EarlierNames() {}

    /** Renames segments from a drawn number on, all of one locale. Returns how many. */
    static int put(Path directory, Random random) throws IOException, InterruptedException {
        List<Path> segments;
        try (Stream<Path> files = Files.list(directory)) {
            segments = files.filter(
                            file -> NAME.matcher(file.getFileName().toString()).matches())
                    .sorted()
                    .toList();
        }
        if (segments.isEmpty()) {
            return 0;
        }
        int zero = ZEROS[random.nextInt(ZEROS.length)];
        List<Path> renamed = segments.subList(random.nextInt(segments.size()), segments.size());
        for (Path segment : renamed) {
            rename(segment, zero);
        }
        return renamed.size();
    }

    /** By a shell, because the encoding of this process may have no such digits. */
    private static void rename(Path segment, int zero) throws IOException, InterruptedException {
        Matcher name = NAME.matcher(segment.getFileName().toString());
        if (!name.matches()) {
            throw new IllegalArgumentException(segment + " is no segment");
        }
        StringBuilder octal = new StringBuilder();
        name.group(1).chars().map(digit -> digit - '0' + zero).forEach(digit -> {
            for (byte each : Character.toString(digit).getBytes(StandardCharsets.UTF_8)) {
                octal.append(String.format(Locale.ROOT, "\\%03o", each & 0xFF));
            }
        });
        LoopVolume.run(List.of(
                "sh",
                "-c",
                "mv -n -- \"$1\" \"$2/segment-$(printf \"$3\").log\"",
                "sh",
                segment.toString(),
                segment.getParent().toString(),
                octal.toString()));
    }
}
