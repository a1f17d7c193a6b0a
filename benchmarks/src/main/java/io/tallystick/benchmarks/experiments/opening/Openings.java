package io.tallystick.benchmarks.experiments.opening;

import io.tallystick.benchmarks.experiments.LocalStores;
import io.tallystick.benchmarks.experiments.opening.OneOpening.Figures;
import io.tallystick.benchmarks.experiments.opening.OneOpening.Way;
import io.tallystick.benchmarks.measure.RecoveryBenchmark;
import io.tallystick.benchmarks.run.ForkedJvm;
import io.tallystick.benchmarks.run.RunDirectory;
import io.tallystick.benchmarks.subject.Subject;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.storage.StorePlace;
import io.tallystick.storage.SystemDisk;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * The time that a new JVM takes to open a store, and to read the records that a halted process left there. Each opening
 * has a JVM of its own, so all code is cold. The page cache has the files.
 *
 * <p>Arguments: {@code DIRECTORY ROUNDS STORE,STORE... [TARGET]}. The stores take turns. If the directory {@code
 * benchmarks/target} of another build is given, both builds take turns, so that other work slows both alike. The rows
 * of a store:
 *
 * <ul>
 *   <li>{@code new}: a new store in an empty directory, without Narayana; for stores of this library
 *   <li>{@code again}: the same store, which holds nothing; for durable stores of this library
 *   <li>{@code left}: the records of a halted process, without Narayana; for durable stores of this library
 *   <li>{@code narayana}: the same records, by Narayana's recovery store
 * </ul>
 */
public final class Openings {
    private static final PrintStream OUT = System.out;
    private static final int WARM_UP_ROUNDS = 1;

    private final RunDirectory run;
    private final Map<String, List<Figures>> figures = new LinkedHashMap<>();
    private final Map<String, Long> diskBytes = new LinkedHashMap<>();
    private int directories;

    private Openings(RunDirectory run) {
        this.run = run;
    }

    /** Measures and prints; see the class. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        LocalStores.run("opening", () -> run(arguments));
    }

    private static void run(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length < 3 || arguments.length > 4) {
            throw new IllegalArgumentException("usage: DIRECTORY ROUNDS STORE,STORE... [TARGET]");
        }
        List<Subject> subjects = LocalStores.named(arguments[2]);
        Map<String, String> builds = new LinkedHashMap<>();
        String own = System.getProperty("java.class.path");
        if (arguments.length == 4) {
            // The stores of that build, measured by the classes of this one. Both class paths are equally long, since
            // each jar on it takes a new JVM time.
            builds.put("other ", librariesOf(Path.of(arguments[3])) + File.pathSeparator + own);
            builds.put("", librariesOf(Path.of(own).toAbsolutePath().getParent()) + File.pathSeparator + own);
        } else {
            builds.put("", own);
        }
        RunDirectory run = RunDirectory.create(Path.of(arguments[0]));
        try {
            ForkedJvm.prepare(run.path());
            new Openings(run).measure(Integer.parseInt(arguments[1]), subjects, builds);
        } finally {
            run.delete();
        }
    }

    private static String librariesOf(Path target) {
        return target.resolve("lib") + File.separator + "*";
    }

    private void measure(int rounds, List<Subject> subjects, Map<String, String> builds)
            throws IOException, InterruptedException {
        for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
            for (Map.Entry<String, String> build : builds.entrySet()) {
                measureOnce(subjects, build.getKey(), build.getValue());
            }
            if (round < 0) {
                figures.clear();
            }
        }
        OUT.println("| opening | JVM to main ms | open ms (min to max) | read ms | open + read ms | CPU ms | classes"
                + " | written KiB | files KiB | records |");
        OUT.println("|---|---|---|---|---|---|---|---|---|---|");
        figures.forEach(this::print);
    }

    private void measureOnce(List<Subject> subjects, String build, String classPath)
            throws IOException, InterruptedException {
        Subject any = subjects.get(0);
        note(build + "JVM alone", opened(any, newDirectory(), Way.NOTHING, classPath), 0);
        for (Subject subject : subjects) {
            String name = build + subject.name();
            if (subject.isOurs()) {
                Path empty = newDirectory();
                note(name + " new", opened(subject, empty, Way.STORE, classPath), bytesIn(empty));
                if (subject.isDurable()) {
                    note(name + " again", opened(subject, empty, Way.STORE, classPath), bytesIn(empty));
                }
            }
            if (subject.isDurable()) {
                Path left = newDirectory();
                run(
                        subject,
                        left,
                        classPath,
                        RecoveryBenchmark.class.getName(),
                        List.of(Integer.toString(RecoveryBenchmark.LEFT)));
                // Both openings find what the halted process left, and nothing of the other opening.
                if (subject.isOurs()) {
                    Path copy = copied(left);
                    note(name + " left", opened(subject, copy, Way.STORE, classPath), bytesIn(copy));
                }
                note(name + " narayana", opened(subject, left, Way.NARAYANA, classPath), bytesIn(left));
            } else {
                Path empty = newDirectory();
                note(name + " narayana", opened(subject, empty, Way.NARAYANA, classPath), bytesIn(empty));
            }
        }
    }

    private Path newDirectory() throws IOException {
        return Files.createDirectory(run.path().resolve(Integer.toString(directories++)));
    }

    private Path copied(Path source) throws IOException {
        Path copy = newDirectory();
        try (Stream<Path> tree = Files.walk(source)) {
            for (Path path : tree.skip(1).toList()) {
                Path target = copy.resolve(source.relativize(path));
                Files.copy(path, target);
                // The process that was halted left nothing unwritten: an opening would pay for writing the copy.
                if (Files.isRegularFile(target)) {
                    try (FileChannel written = FileChannel.open(target, StandardOpenOption.WRITE)) {
                        written.force(true);
                    }
                }
            }
        }
        // An opening of a store that is where it was made is measured, not that of a copy.
        SystemDisk disk = new SystemDisk();
        Path real = copy.toRealPath();
        Optional<StoreIdentity> store = StoreIdentity.read(disk, real);
        if (store.isPresent()) {
            StorePlace.accept(disk, real, store.get(), "a measurement");
        }
        return copy;
    }

    private void note(String row, Figures measured, long bytes) {
        figures.computeIfAbsent(row, unused -> new ArrayList<>()).add(measured);
        diskBytes.put(row, bytes);
    }

    private Figures opened(Subject subject, Path directory, Way way, String classPath)
            throws IOException, InterruptedException {
        return Figures.of(run(
                subject,
                directory,
                classPath,
                OneOpening.class.getName(),
                List.of(way.name(), Long.toString(System.nanoTime()))));
    }

    private String run(Subject subject, Path directory, String classPath, String mainClass, List<String> arguments)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(ForkedJvm.arguments(subject, directory, directory.getParent()));
        all.addAll(List.of("-cp", classPath, mainClass));
        all.addAll(arguments);
        return ForkedJvm.output(all, run.path().resolve("errors"));
    }

    private static long bytesIn(Path directory) throws IOException {
        try (Stream<Path> tree = Files.walk(directory)) {
            return tree.map(Path::toFile)
                    .filter(File::isFile)
                    .mapToLong(File::length)
                    .sum();
        }
    }

    private void print(String row, List<Figures> all) {
        OUT.printf(
                Locale.ROOT,
                "| %s | %.0f | %.0f (%.0f to %.0f) | %.0f | %.0f | %.0f | %d | %d | %d | %d |%n",
                row,
                median(all, Figures::toMainNanos) / 1e6,
                median(all, Figures::openNanos) / 1e6,
                all.stream().mapToLong(Figures::openNanos).min().orElse(0) / 1e6,
                all.stream().mapToLong(Figures::openNanos).max().orElse(0) / 1e6,
                median(all, Figures::readNanos) / 1e6,
                median(all, each -> each.openNanos() + each.readNanos()) / 1e6,
                median(all, Figures::cpuNanos) / 1e6,
                median(all, Figures::classes),
                median(all, Figures::writtenBytes) / 1024,
                diskBytes.get(row) / 1024,
                median(all, Figures::records));
    }

    private static long median(List<Figures> all, ToLongFunction<Figures> figure) {
        long[] sorted = all.stream().mapToLong(figure).sorted().toArray();
        return sorted[sorted.length / 2];
    }
}
