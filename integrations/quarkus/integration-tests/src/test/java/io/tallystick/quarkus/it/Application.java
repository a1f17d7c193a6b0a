package io.tallystick.quarkus.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The application that this module builds, as a process of its own: {@code java -jar quarkus-run.jar}. */
final class Application implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Path JDK = Path.of(System.getProperty("java.home"));
    private static final Path LATER_JDK = Path.of(System.getProperty("later.jdk", JDK.toString()));
    private static final Pattern LISTENING = Pattern.compile("Listening on: http://127\\.0\\.0\\.1:(\\d+)");

    private final Process process;
    private final List<String> output = new ArrayList<>();
    private final Thread reader;
    private final HttpClient client = HttpClient.newHttpClient();

    private Application(Process process) {
        this.process = process;
        this.reader = new Thread(this::read, "output of the application");
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts the application over the files in a directory, with these options of {@code java}. */
    static Application launch(Path directory, String... options) throws IOException {
        return launchOn(JDK, directory, options);
    }

    private static Application launchOn(Path jdk, Path directory, String... options) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(jdk.resolve(Path.of("bin", "java")).toString());
        command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1"));
        command.add("-Drun.directory=" + directory.toAbsolutePath());
        // Recovery looks every second. Its defaults are two minutes, ten seconds and twenty seconds.
        command.add("-DRecoveryEnvironmentBean.periodicRecoveryPeriod=1");
        command.add("-DRecoveryEnvironmentBean.recoveryBackoffPeriod=1");
        command.add("-DJTAEnvironmentBean.orphanSafetyInterval=2000");
        command.addAll(List.of(options));
        command.add("-jar");
        command.add(Path.of("target", "quarkus-app", "quarkus-run.jar").toString());
        return new Application(
                new ProcessBuilder(command).redirectErrorStream(true).start());
    }

    /** As {@link #launch}, and waits until it serves. */
    static Application start(Path directory, String... options) throws IOException, InterruptedException {
        return launch(directory, options).listening();
    }

    /** As {@link #start}, on the JDK that the property {@code later.jdk} of the build names, or else on this one. */
    static Application startOnLaterJdk(Path directory, String... options) throws IOException, InterruptedException {
        return launchOn(LATER_JDK, directory, options).listening();
    }

    private Application listening() throws InterruptedException {
        awaitOutput(line -> LISTENING.matcher(line).find());
        return this;
    }

    /** The version of the JDK that {@link #startOnLaterJdk} takes: 17, for example. */
    static int laterJdk() throws IOException {
        Properties release = new Properties();
        try (Reader file = Files.newBufferedReader(LATER_JDK.resolve("release"))) {
            release.load(file);
        }
        return Runtime.Version.parse(release.getProperty("JAVA_VERSION").replace("\"", ""))
                .feature();
    }

    /** Waits for a line of its output. */
    void awaitOutput(Predicate<String> wanted) throws InterruptedException {
        await("a line of the output", () -> lines().stream().anyMatch(wanted));
    }

    /** Waits until a condition holds, while the process lives. */
    void await(String description, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(process.isAlive())
                    .as("alive, waiting for %s%n%s", description, this)
                    .isTrue();
            assertThat(System.nanoTime())
                    .as("waiting for %s%n%s", description, this)
                    .isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** Waits until it has ended by itself, and returns its status. */
    int awaitEnd() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as("ended%n%s", this)
                .isTrue();
        reader.join();
        return process.exitValue();
    }

    /** SIGKILL. */
    void kill() {
        close();
    }

    /** SIGTERM: the shutdown of Quarkus runs. */
    int stop() throws InterruptedException {
        process.toHandle().destroy(); // process.destroy() would close the output before its last lines
        return awaitEnd();
    }

    /** The body of the answer to GET; the status does not matter. */
    String get(String path) {
        return send(HttpRequest.newBuilder(uri(path)).build()).body();
    }

    /** The status of the answer to POST. */
    int post(String path) {
        return send(HttpRequest.newBuilder(uri(path))
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build())
                .statusCode();
    }

    /** The body of the answer to POST; the status does not matter. */
    String postForText(String path) {
        return send(HttpRequest.newBuilder(uri(path))
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build())
                .body();
    }

    /** All that it has printed until now. */
    List<String> lines() {
        synchronized (output) {
            return List.copyOf(output);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }

    @Override
    public String toString() {
        return String.join("\n", lines());
    }

    private HttpResponse<String> send(HttpRequest request) {
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException lost) {
            throw new UncheckedIOException(lost);
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }

    private URI uri(String path) {
        for (String line : lines()) {
            Matcher matcher = LISTENING.matcher(line);
            if (matcher.find()) {
                return URI.create("http://127.0.0.1:" + matcher.group(1) + "/" + path);
            }
        }
        throw new IllegalStateException("the application does not listen\n" + this);
    }

    private void read() {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                synchronized (output) {
                    output.add(line);
                }
            }
        } catch (IOException ended) {
            throw new UncheckedIOException(ended);
        }
    }
}
