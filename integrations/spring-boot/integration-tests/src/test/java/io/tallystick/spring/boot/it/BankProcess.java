package io.tallystick.spring.boot.it;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/** The application in a process of its own, with its output in a file. */
final class BankProcess implements AutoCloseable {
    private static final Duration AT_MOST = Duration.ofSeconds(90);
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final Process process;
    private final Path output;

    private BankProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** Starts it with two databases below a directory; {@code settings} are {@code -D...} and {@code --...}. */
    static BankProcess start(Path directory, String... settings) {
        return start(directory, entry -> true, settings);
    }

    /** The same with a part of the class path. The bank has no messages, so it has no classes for them either. */
    static BankProcess start(Path directory, Predicate<String> onClassPath, String... settings) {
        Predicate<String> isMessaging = entry -> entry.contains("artemis") || entry.contains("jms");
        return start(BankApplication.class, directory, onClassPath.and(isMessaging.negate()), settings);
    }

    /** The same for another application. */
    static BankProcess start(Class<?> application, Path directory, Predicate<String> onClassPath, String... settings) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-Xmx256m", "-XX:TieredStopAtLevel=1", "-DJTAEnvironmentBean.orphanSafetyInterval=2000", "-cp"));
        boolean isNight = application.getSimpleName().startsWith("Night");
        command.add(classPath(isNight ? onClassPath : onClassPath.and(entry -> !isOfNight(entry))));
        Arrays.stream(settings).filter(each -> each.startsWith("-D")).forEach(command::add);
        command.add(application.getName());
        command.addAll(List.of(
                "--server.port=0",
                "--bank.directory=" + directory,
                "--narayana.log-dir=" + directory.resolve("log"),
                "--narayana.periodic-recovery-period=1",
                "--narayana.recovery-backoff-period=1",
                "--management.endpoints.web.exposure.include=health,tallystick,tallystickInDoubt,metrics",
                "--management.endpoint.health.show-details=always"));
        Arrays.stream(settings).filter(each -> each.startsWith("--")).forEach(command::add);
        try {
            Path output = Files.createTempFile(directory, "output", ".txt");
            return new BankProcess(
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start(),
                    output);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static String classPath(Predicate<String> isKept) {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(isKept)
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** What only a bad night needs: the tests of Narayana's adaptor, and the tool. */
    private static boolean isOfNight(String entry) {
        return entry.contains("picocli")
                || entry.contains("tallystick-tool")
                || entry.endsWith("-tests.jar")
                || entry.endsWith(Path.of("tool", "target", "classes").toString())
                || entry.endsWith(Path.of("narayana", "target", "test-classes").toString());
    }

    BankProcess awaitReady() {
        await(BankApplication.READY);
        return this;
    }

    /** Waits until the output has the text. */
    void await(String text) {
        Awaitility.await(text).atMost(AT_MOST).until(() -> {
            if (!process.isAlive() && !output().contains(text)) {
                throw new AssertionError("the process ended without '" + text + "':\n" + output());
            }
            return output().contains(text);
        });
    }

    /** Waits until it has ended, and tells its status. */
    int awaitEnd() {
        return process.onExit()
                .orTimeout(AT_MOST.toSeconds(), TimeUnit.SECONDS)
                .join()
                .exitValue();
    }

    /** Kills it with SIGKILL. */
    void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** Asks it to end, with SIGTERM. */
    int terminate() {
        process.destroy();
        return awaitEnd();
    }

    HttpResponse<String> get(String path) {
        return send(HttpRequest.newBuilder(uri(path)).GET().build());
    }

    HttpResponse<String> post(String path) {
        return send(HttpRequest.newBuilder(uri(path))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build());
    }

    /** The same with a body of JSON. */
    HttpResponse<String> post(String path, String json) {
        return send(HttpRequest.newBuilder(uri(path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build());
    }

    private HttpResponse<String> send(HttpRequest request) {
        try {
            return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException failed) {
            throw new UncheckedIOException(output(), failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    private URI uri(String path) {
        String port = output().lines()
                .filter(line -> line.startsWith(BankApplication.READY))
                .findFirst()
                .orElseThrow()
                .substring(BankApplication.READY.length());
        return URI.create("http://localhost:" + port + path);
    }

    String output() {
        try {
            return Files.readString(output);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() {
        kill();
    }
}
