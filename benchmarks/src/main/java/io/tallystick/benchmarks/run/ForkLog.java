package io.tallystick.benchmarks.run;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.format.OutputFormat;

/**
 * The output of JMH and of the measured JVMs, in one file; the terminal shows progress and results. Several threads of
 * JMH write to it.
 */
public final class ForkLog implements OutputFormat {
    private final PrintStream out;

    public ForkLog(Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        out = new PrintStream(Files.newOutputStream(file), true, StandardCharsets.UTF_8);
    }

    @Override
    public void startBenchmark(BenchmarkParams params) {
        out.println("== " + params.getBenchmark() + " " + params.id());
        out.println("JVM arguments: " + params.getJvmArgs());
    }

    @Override
    public void iterationResult(
            BenchmarkParams params, IterationParams iterationParams, int iteration, IterationResult data) {
        out.println(iterationParams.getType() + " " + iteration + ": " + data.getPrimaryResult());
    }

    @Override
    public void iteration(BenchmarkParams params, IterationParams iterationParams, int iteration) {
        // its result has this too
    }

    @Override
    public void endBenchmark(BenchmarkResult result) {
        out.println();
    }

    @Override
    public void startRun() {
        // the first benchmark shows it
    }

    @Override
    public void endRun(Collection<RunResult> results) {
        // the results are saved elsewhere
    }

    @Override
    public void print(String text) {
        out.print(text);
    }

    @Override
    public void println(String text) {
        out.println(text);
    }

    @Override
    public void verbosePrintln(String text) {
        out.println(text);
    }

    @Override
    public void write(int b) {
        out.write(b);
    }

    @Override
    public void write(byte[] bytes) {
        out.writeBytes(bytes);
    }

    @Override
    public void flush() {
        out.flush();
    }

    /** JMH closes its output after each run of it; the file stays open until the last. */
    @Override
    public void close() {
        out.flush();
    }

    /**
     * Runs the work with the process' standard streams in this file, because JMH copies the output of the measured JVMs
     * to them.
     */
    public void capturing(Work work) throws IOException {
        PrintStream standardOut = System.out;
        PrintStream standardErr = System.err;
        System.setOut(out);
        System.setErr(out);
        try {
            work.run();
        } finally {
            System.setOut(standardOut);
            System.setErr(standardErr);
        }
    }

    public void end() {
        out.close();
    }

    /** Work that may print. */
    @FunctionalInterface
    public interface Work {
        /** Does the work. */
        void run() throws IOException;
    }
}
