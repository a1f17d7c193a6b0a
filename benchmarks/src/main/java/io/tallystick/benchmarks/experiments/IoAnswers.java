package io.tallystick.benchmarks.experiments;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The answers of {@code tallystick.journal.io=auto}, and the time of an opening with and without a trial. Each opening
 * is in a process of its own; the {@link Opening kinds of openings} take turns.
 *
 * <p>Arguments: {@code DIRECTORY ROUNDS KEY=VALUE...}. Each row has the time of {@code ObjectStores.open} in
 * milliseconds and the number of times that each way was taken.
 */
public final class IoAnswers {
    private static final PrintStream OUT = System.out;
    private static final String CHILD = "open";
    private static final String MEMORY = "tallystick.io";

    private IoAnswers() {}

    /** A kind of opening. */
    private enum Opening {
        /** Of a directory that does not exist yet. */
        NEW_STORE("auto"),
        /** Of a store that remembers no way. */
        FORGOTTEN("auto"),
        /** Of a store that remembers its way. */
        REMEMBERED("auto"),
        /** Of the same store, with a way that is asked for by name. */
        BY_NAME("direct");

        private final String io;

        Opening(String io) {
            this.io = io;
        }
    }

    /** Measures and prints; see the class. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length < 2) {
            throw new IllegalArgumentException("usage: DIRECTORY ROUNDS [KEY=VALUE...]");
        }
        List<String> settings = Arrays.asList(arguments).subList(2, arguments.length);
        if (arguments[0].equals(CHILD)) {
            open(Path.of(arguments[1]), settings);
        } else {
            measure(Path.of(arguments[0]), Integer.parseInt(arguments[1]), settings);
        }
    }

    private static void open(Path directory, List<String> settings) {
        StoreConfiguration.Builder configuration =
                StoreConfiguration.builder().store("journal").directory(directory);
        for (String setting : settings) {
            String[] parts = setting.split("=", 2);
            configuration.set(parts[0], parts[1]);
        }
        long begun = System.nanoTime();
        try (ObjectStore store = ObjectStores.open(configuration.build())) {
            long nanos = System.nanoTime() - begun;
            OUT.println(store.description().io().orElseThrow() + " " + nanos);
        }
    }

    private static void measure(Path parent, int rounds, List<String> settings)
            throws IOException, InterruptedException {
        Map<Opening, Map<String, Integer>> answers = new EnumMap<>(Opening.class);
        Map<Opening, List<Long>> nanos = new EnumMap<>(Opening.class);
        Path store = Files.createTempDirectory(parent, "io-answers");
        try {
            opened(store, "auto", settings);
            for (int round = 0; round < rounds; round++) {
                for (Opening opening : Opening.values()) {
                    String[] answer = opened(opening, parent, store, settings);
                    answers.computeIfAbsent(opening, none -> new TreeMap<>()).merge(answer[0], 1, Integer::sum);
                    nanos.computeIfAbsent(opening, none -> new ArrayList<>()).add(Long.valueOf(answer[1]));
                }
            }
        } finally {
            delete(store);
        }
        OUT.println("opening      median     p95   answers");
        for (Opening opening : Opening.values()) {
            List<Long> sorted = nanos.get(opening).stream().sorted().toList();
            OUT.printf(
                    Locale.ROOT,
                    "%-11s %7.1f %7.1f   %s%n",
                    opening.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                    millis(sorted.get(sorted.size() / 2)),
                    millis(sorted.get(sorted.size() * 95 / 100)),
                    answers.get(opening));
        }
    }

    private static double millis(long nanos) {
        return nanos / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }

    private static String[] opened(Opening opening, Path parent, Path store, List<String> settings)
            throws IOException, InterruptedException {
        if (opening == Opening.FORGOTTEN) {
            Files.deleteIfExists(store.resolve(MEMORY));
        }
        if (opening != Opening.NEW_STORE) {
            return opened(store, opening.io, settings);
        }
        Path fresh = Files.createTempDirectory(parent, "io-answers");
        try {
            return opened(fresh, opening.io, settings);
        } finally {
            delete(fresh);
        }
    }

    /** The way and the nanoseconds of one opening in a process of its own. */
    private static String[] opened(Path store, String io, List<String> settings)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), IoAnswers.class.getName()));
        command.addAll(List.of(CHILD, store.toString(), "tallystick.journal.io=" + io));
        command.addAll(settings);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("an opening of directory=" + store + " failed; run " + String.join(" ", command));
        }
        return answer.strip().split(" ");
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
