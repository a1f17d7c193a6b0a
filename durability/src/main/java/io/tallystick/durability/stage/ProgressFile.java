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
import java.util.List;
import java.util.Properties;

/** How far each subject is in a stage, so that a run may be stopped at any time and resumed. */
public final class ProgressFile {
    private final Path file;
    private final Properties entries = new Properties();

    private ProgressFile(Path file) {
        this.file = file;
    }

    /** Where a subject stands. */
    public record Standing(long nextSeed, Counts counts, long violations, long millis) {}

    /** The file of that stage and seed, with what it holds if it is to be resumed. */
    public static ProgressFile of(StageOrder order) throws IOException {
        Files.createDirectories(order.results());
        ProgressFile progress =
                new ProgressFile(order.results().resolve(order.stage().name() + "-" + order.seed() + ".progress"));
        if (order.resume() && Files.exists(progress.file)) {
            try (Reader reader = Files.newBufferedReader(progress.file)) {
                progress.entries.load(reader);
            }
        }
        return progress;
    }

    public synchronized Standing of(Subject subject, long firstSeed) {
        String prefix = subject.name() + ".";
        Counts counts = Counts.NOTHING;
        List<String> counters = new ArrayList<>();
        for (String key : entries.stringPropertyNames()) {
            if (key.startsWith(prefix + "count.")) {
                counters.add(key);
            }
        }
        counters.sort(null);
        for (String key : counters) {
            // "count.0.crash points": the number keeps the order
            String what = key.substring(prefix.length() + "count.".length());
            counts = counts.and(what.substring(what.indexOf('.') + 1), number(key, 0));
        }
        return new Standing(
                number(prefix + "next-seed", firstSeed),
                counts,
                number(prefix + "violations", 0),
                number(prefix + "millis", 0));
    }

    public synchronized void keep(Subject subject, Standing standing) throws IOException {
        String prefix = subject.name() + ".";
        entries.setProperty(prefix + "next-seed", String.valueOf(standing.nextSeed));
        entries.setProperty(prefix + "violations", String.valueOf(standing.violations));
        entries.setProperty(prefix + "millis", String.valueOf(standing.millis));
        int index = 0;
        for (var counter : standing.counts.asMap().entrySet()) {
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
