package io.tallystick.wildfly;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * A WildFly with a base directory of its own (configuration, data, deployments, log), started by {@code
 * bin/standalone.sh} and spoken to by {@code bin/jboss-cli.sh}, as a user would.
 */
final class Server implements AutoCloseable {
    private static final Duration START = Duration.ofMinutes(2);
    /** A server or a client that lives for seconds: the quick compiler alone takes less time. */
    private static final String SHORT_LIFE = "-XX:TieredStopAtLevel=1";

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final Path home;
    private final Path base;
    private final List<String> arguments = new ArrayList<>();
    private final int offset = freeOffset();
    private Process process;
    private int starts;

    Server(Path home, Path base) {
        this.home = home;
        this.base = base;
    }

    /** Adds arguments of the start script. */
    Server with(String... more) {
        arguments.addAll(List.of(more));
        return this;
    }

    /** Replaces {@code standalone.xml}. */
    Server configure(String standalone) {
        try {
            Files.writeString(base.resolve("configuration/standalone.xml"), standalone);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        return this;
    }

    /** Where this server has its configuration, data, deployments and log. */
    Path base() {
        return base;
    }

    /** Starts and waits until the server has booted, with or without errors. */
    Server start() {
        starts++;
        List<String> command = new ArrayList<>(List.of(
                home.resolve("bin/standalone.sh").toString(),
                "-Djboss.server.base.dir=" + base,
                "-Djboss.socket.binding.port-offset=" + offset));
        command.addAll(arguments);
        process = run(command, output(starts));
        Awaitility.await("a boot of the server in " + output(starts))
                .atMost(START)
                .pollInterval(Duration.ofMillis(200))
                .until(() -> log().contains("WFLYSRV0025") || log().contains("WFLYSRV0026") || !process.isAlive());
        return this;
    }

    /** What the server has printed since its last start. */
    String log() {
        return read(output(starts));
    }

    /** Ends the server's process at once, as {@code kill -9} does. */
    void kill() {
        List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList();
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(one -> one.onExit().join());
    }

    /** Runs commands of the management client against this server. */
    String cli(String... commands) {
        return execute(command(
                "--connect", "--controller=127.0.0.1:" + (9990 + offset), "--commands=" + String.join(",", commands)));
    }

    /** Runs a script of the management client that needs no server. */
    String script(Path script, String... options) {
        List<String> command = command("--file=" + script);
        command.addAll(List.of(options));
        return execute(command);
    }

    /** Reloads the server and waits until it has booted. */
    void reload() {
        int boots = boots();
        cli(":reload");
        Awaitility.await("the reload in " + output(starts)).atMost(START).until(() -> boots() > boots);
    }

    /** What the application answers. */
    String get(String path) throws IOException, InterruptedException {
        return getOf("/shop", path);
    }

    /** What the application at this address answers. */
    String getOf(String application, String path) throws IOException, InterruptedException {
        HttpResponse<String> response = HTTP.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + (8080 + offset) + application + path))
                        .timeout(START)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        return response.statusCode() + " " + response.body();
    }

    /** Waits until the process has ended, as a command of the management client had asked it to. */
    void awaitEnd() {
        Awaitility.await("the end of the server in " + output(starts))
                .atMost(START)
                .until(() -> !process.isAlive());
    }

    @Override
    public void close() {
        stop();
    }

    /** Ends the server in order, if it runs. */
    void stop() {
        if (process == null || !process.isAlive()) {
            return;
        }
        process.descendants().forEach(ProcessHandle::destroy);
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                kill();
            }
        } catch (InterruptedException stopped) {
            kill();
            Thread.currentThread().interrupt();
        }
    }

    private int boots() {
        return log().split("WFLYSRV0025|WFLYSRV0026", -1).length - 1;
    }

    private Path output(int start) {
        return base.resolveSibling(base.getFileName() + "-start-" + start + ".log");
    }

    private List<String> command(String... options) {
        List<String> command = new ArrayList<>();
        command.add(home.resolve("bin/jboss-cli.sh").toString());
        command.addAll(List.of(options));
        return command;
    }

    private String execute(List<String> command) {
        Path output = base.resolveSibling("cli-" + System.nanoTime() + ".log");
        Process client = run(command, output);
        try {
            assertThat(client.waitFor(2, TimeUnit.MINUTES))
                    .as("the client ends")
                    .isTrue();
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
        return read(output);
    }

    private Process run(List<String> command, Path output) {
        try {
            Files.createDirectories(output.getParent());
            ProcessBuilder builder = new ProcessBuilder(command)
                    // With JTS the ORB writes a file into the directory that it is started in.
                    .directory(output.getParent().toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
            builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
            builder.environment().remove("JBOSS_HOME");
            builder.environment().put("PREPEND_JAVA_OPTS", SHORT_LIFE); // of a server, before what its script has
            if (command.get(0).endsWith("jboss-cli.sh")) {
                builder.environment().put("JAVA_OPTS", SHORT_LIFE);
            }
            return builder.start();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    // The server's ports are fixed distances apart, so that one number moves them all.
    private static int freeOffset() {
        return IntStream.iterate(11_000, offset -> offset + 100)
                .limit(200)
                .filter(offset -> isFree(8080 + offset) && isFree(8443 + offset) && isFree(9990 + offset))
                .findFirst()
                .orElseThrow();
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port)) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
