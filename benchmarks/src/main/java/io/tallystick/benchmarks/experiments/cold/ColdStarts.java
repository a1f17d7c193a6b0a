package io.tallystick.benchmarks.experiments.cold;

import io.tallystick.benchmarks.experiments.LocalStores;
import io.tallystick.benchmarks.experiments.cold.OneColdStart.Figures;
import io.tallystick.benchmarks.run.ForkedJvm;
import io.tallystick.benchmarks.run.RunDirectory;
import io.tallystick.benchmarks.run.Selection;
import io.tallystick.benchmarks.subject.Subject;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The first seconds of a JVM, as a service lives them after a restart: from the launch of the JVM to the first commit,
 * the commits of the first seconds, the longest one, and the time until it commits as fast as it will.
 *
 * <p>Arguments: {@code DIRECTORY ROUNDS SECONDS STORE,STORE... THREADS,THREADS... [JVM ARGUMENTS]}. Each start has a
 * JVM and a new store of its own; the stores take turns.
 */
public final class ColdStarts {
    private static final PrintStream OUT = System.out;
    private static final int LEAST_SECONDS = 15;

    private final RunDirectory run;
    private final int seconds;
    private final List<String> jvmArguments;
    private final Map<String, List<Figures>> figures = new LinkedHashMap<>();

    private ColdStarts(RunDirectory run, int seconds, List<String> jvmArguments) {
        this.run = run;
        this.seconds = seconds;
        this.jvmArguments = jvmArguments;
    }

    /** Measures and prints; see the class. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        LocalStores.run("cold", () -> run(arguments));
    }

    private static void run(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length < 5 || Integer.parseInt(arguments[2]) < LEAST_SECONDS) {
            throw new IllegalArgumentException("usage: DIRECTORY ROUNDS SECONDS STORE,STORE... THREADS,THREADS..."
                    + " [JVM ARGUMENTS], with " + LEAST_SECONDS + " seconds at least");
        }
        List<Subject> subjects = LocalStores.named(arguments[3]);
        List<Integer> threads = Selection.threads(List.of(arguments[4]));
        RunDirectory run = RunDirectory.create(Path.of(arguments[0]));
        try {
            ForkedJvm.prepare(run.path());
            ColdStarts starts = new ColdStarts(
                    run,
                    Integer.parseInt(arguments[2]),
                    Arrays.asList(arguments).subList(5, arguments.length));
            starts.measure(Integer.parseInt(arguments[1]), subjects, threads);
            starts.print();
        } finally {
            run.delete();
        }
    }

    private void measure(int rounds, List<Subject> subjects, List<Integer> threads)
            throws IOException, InterruptedException {
        for (int round = 0; round < rounds; round++) {
            for (int count : threads) {
                for (Subject subject : subjects) {
                    figures.computeIfAbsent(subject.name() + " | " + count, unused -> new ArrayList<>())
                            .add(started(subject, count));
                }
            }
        }
    }

    private Figures started(Subject subject, int threads) throws IOException, InterruptedException {
        Path directory = run.newStore(subject.name());
        List<String> arguments = new ArrayList<>(ForkedJvm.arguments(subject, directory, run.path()));
        arguments.addAll(jvmArguments);
        arguments.addAll(List.of("-cp", System.getProperty("java.class.path"), OneColdStart.class.getName()));
        arguments.addAll(
                List.of(Integer.toString(threads), Integer.toString(seconds), Long.toString(System.nanoTime())));
        String output = ForkedJvm.output(arguments, run.path().resolve("errors"));
        RunDirectory.deleteTree(directory);
        return Figures.of(output);
    }

    private void print() {
        OUT.println("| store | threads | first commit ms (min to max) | commits in 1 s | in 3 s | in 10 s | longest ms"
                + " | seconds to 90 % | warm rate |");
        OUT.println("|---|---|---|---|---|---|---|---|---|");
        figures.forEach((row, all) -> OUT.printf(
                Locale.ROOT,
                "| %s | %.0f (%.0f to %.0f) | %,.0f | %,.0f | %,.0f | %.0f | %.0f | %,.0f |%n",
                row,
                median(all, Figures::firstMillis),
                all.stream().mapToDouble(Figures::firstMillis).min().orElse(0),
                all.stream().mapToDouble(Figures::firstMillis).max().orElse(0),
                median(all, Figures::inOne),
                median(all, Figures::inThree),
                median(all, Figures::inTen),
                median(all, Figures::longestMillis),
                median(all, Figures::warmSeconds),
                median(all, Figures::warmRate)));
    }

    private static double median(List<Figures> all, ToDoubleFunction<Figures> figure) {
        double[] sorted = all.stream().mapToDouble(figure).sorted().toArray();
        return sorted[sorted.length / 2];
    }
}
