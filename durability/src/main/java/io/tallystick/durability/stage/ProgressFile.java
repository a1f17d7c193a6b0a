package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.subject.Subject;
import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;

/** The progress of each subject in a stage, so that a run may be stopped at any time and resumed. */
public final class ProgressFile {
    private final Path file;
    private final Properties entries = new Properties();

    private ProgressFile(Path file) {
        this.file = file;
    }

    /** The progress of a subject. */
    public record Progress(long nextSeed, Counts counts, long violations, long millis) {}

    /** The file of the stage and seed of this request. Its content is read if the run is to be resumed. */
    public static ProgressFile of(StageRequest request) throws IOException {
        Files.createDirectories(request.results());
        ProgressFile progress = new ProgressFile(
                request.results().resolve(request.stage().name() + "-" + request.seed() + ".progress"));
        if (request.resume() && Files.exists(progress.file)) {
            try (Reader reader = Files.newBufferedReader(progress.file)) {
                progress.entries.load(reader);
            }
        }
        return progress;
    }

    public synchronized Progress of(Subject subject, long firstSeed) {
        String prefix = subject.name() + ".";
        Counts counts = Counts.NOTHING;
        List<String> counters = new ArrayList<>();
        for (String key : entries.stringPropertyNames()) {
            if (key.startsWith(prefix + "count.")) {
                counters.add(key);
            }
        }
        // "count.0.crash points": the number keeps the order
        int begin = prefix.length() + "count.".length();
        counters.sort(Comparator.comparingInt(key -> Integer.parseInt(key.substring(begin, key.indexOf('.', begin)))));
        for (String key : counters) {
            counts = counts.and(key.substring(key.indexOf('.', begin) + 1), number(key, 0));
        }
        return new Progress(
                number(prefix + "next-seed", firstSeed),
                counts,
                number(prefix + "violations", 0),
                number(prefix + "millis", 0));
    }

    public synchronized void keep(Subject subject, Progress progress) throws IOException {
        String prefix = subject.name() + ".";
        entries.setProperty(prefix + "next-seed", String.valueOf(progress.nextSeed));
        entries.setProperty(prefix + "violations", String.valueOf(progress.violations));
        entries.setProperty(prefix + "millis", String.valueOf(progress.millis));
        entries.stringPropertyNames().stream()
                .filter(key -> key.startsWith(prefix + "count."))
                .forEach(entries::remove); // a counter may have had another number
        int index = 0;
        for (var counter : progress.counts.asMap().entrySet()) {
            entries.setProperty(
                    prefix + "count." + index++ + "." + counter.getKey(),
                    counter.getValue().toString());
        }
        StringWriter text = new StringWriter();
        entries.store(text, null);
        Path temporary = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(temporary, text.toString());
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private long number(String key, long otherwise) {
        return Long.parseLong(entries.getProperty(key, String.valueOf(otherwise)));
    }
}
