package io.tallystick.benchmarks.run;

import io.tallystick.benchmarks.subject.NativeLibrary;
import io.tallystick.benchmarks.subject.Subject;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreOption;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Checks which stores work here: it opens each of ours in the directory, and loads the library that a peer needs. It
 * runs in a JVM of its own. So a crash of native code, or a thread that a store leaves, ends with that JVM.
 */
final class SubjectCheck {
    private static final int STUCK_AFTER_SECONDS = 60;
    private static final String SEPARATOR = "\t";
    private static final String WORKS = "works";
    private static final String FAILS = "fails";
    /** Small segments are created faster; the store is only opened and closed. */
    private static final String SMALL_SEGMENTS = "4MiB";

    private SubjectCheck() {}

    /**
     * The finding about one store.
     *
     * @param works whether it can be measured here
     * @param remark the description that the store gives of itself, or why it does not work
     */
    record Finding(boolean works, String remark) {}

    /**
     * Tries each store. If a store needs the library of artemis-native, the library is unpacked into {@code
     * directory}.
     *
     * @return a finding for each, by name
     */
    static Map<String, Finding> of(List<Subject> subjects, Path directory) throws IOException, InterruptedException {
        List<String> command = ForkedJvm.command(directory, List.of(), SubjectCheck.class);
        command.add(directory.toString());
        subjects.forEach(subject -> command.add(subject.name()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        CompletableFuture.delayedExecutor(STUCK_AFTER_SECONDS, TimeUnit.SECONDS).execute(process::destroyForcibly);
        Map<String, Finding> answers = new HashMap<>();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] parts = line.split(SEPARATOR, -1);
                if (parts.length == 3) {
                    answers.put(parts[0], new Finding(parts[1].equals(WORKS), parts[2]));
                }
            }
        }
        Finding silence = new Finding(false, "the check of it ended its process with status " + process.waitFor());
        Map<String, Finding> findings = new LinkedHashMap<>();
        subjects.forEach(subject -> findings.put(subject.name(), answers.getOrDefault(subject.name(), silence)));
        return findings;
    }

    /** The other process: prints for each store its name, whether it works, and the remark. */
    public static void main(String[] arguments) throws IOException {
        Path directory = Path.of(arguments[0]);
        for (String name : List.of(arguments).subList(1, arguments.length)) {
            Path store = Files.createDirectory(directory.resolve("check-" + name));
            Finding finding = check(SubjectCatalog.named(name), store, directory);
            System.out.println(
                    String.join(SEPARATOR, name, finding.works() ? WORKS : FAILS, oneLine(finding.remark())));
            RunDirectory.deleteTree(store);
        }
        System.exit(0); // although a store may have left threads behind
    }

    private static Finding check(Subject subject, Path directory, Path libraries) {
        try {
            if (subject.needs() == Subject.Needs.ARTEMIS_NATIVE) {
                loadArtemisNative(libraries);
            }
            return new Finding(true, subject.isOurs() ? openAndClose(subject, directory) : "");
        } catch (IOException | StoreException | IllegalArgumentException | LinkageError refused) {
            String message = refused.getMessage() == null ? refused.toString() : refused.getMessage();
            // The directory is deleted before a person reads this, so its name does not help.
            return new Finding(false, message.replace("directory=" + directory, "this directory"));
        }
    }

    private static void loadArtemisNative(Path libraries) throws IOException {
        Path library = NativeLibrary.in(libraries);
        if (!Files.exists(library)) {
            NativeLibrary.unpack(libraries);
        }
        System.load(library.toString());
    }

    private static String openAndClose(Subject subject, Path directory) {
        StoreConfiguration.Builder configuration = StoreConfiguration.builder();
        subject.settingsIn(directory).forEach((key, value) -> {
            if (key.startsWith("tallystick.")) {
                configuration.set(key, value);
            }
        });
        configuration.set(StoreOption.JOURNAL_SEGMENT_SIZE.key(), SMALL_SEGMENTS);
        try (ObjectStore store = ObjectStores.open(configuration.build())) {
            StoreDescription found = store.description();
            return new StoreDescription(found.store(), found.engine(), found.io(), Optional.empty(), why(found))
                    .toString();
        }
    }

    private static String why(StoreDescription found) {
        return found.details().isEmpty() ? found.remark() : "chosen by trial; " + found.details();
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\s+", " ").trim();
    }
}
