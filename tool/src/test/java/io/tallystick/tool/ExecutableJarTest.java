package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The jar and the launcher as users have them; run after the jar was built. */
class ExecutableJarTest {
    @TempDir
    Path root;

    private record Ended(int exitCode, String output) {}

    @Test
    void theJarHoldsEveryStoreAndRunsAnywhere() throws Exception {
        Path export = root.resolve("export.jsonl");
        assertThat(java("export", "--to", export, TestStores.filled(Kind.SEGMENTED, root.resolve("tx"))).exitCode)
                .isZero();
        for (String engine : List.of("segmented", "artemis")) {
            Ended imported = java(
                    "import",
                    "--create",
                    "journal",
                    "-Dtallystick.journal.engine=" + engine,
                    "-Dtallystick.journal.segment-size=4MiB",
                    root.resolve(engine),
                    export);

            assertThat(imported.output).contains("added 7").doesNotContain("SLF4J", "WARNING");
            assertThat(imported.exitCode).isZero();
        }
    }

    @Test
    void theJarHoldsTheDriverOfPostgresql() throws Exception {
        assertThat(java("postgresql", "ddl").output).contains("CREATE TABLE IF NOT EXISTS");

        Ended refused = java("list", "--url", "jdbc:postgresql://127.0.0.1:1/tx", "--node", "n");
        assertThat(refused.exitCode).isEqualTo(ExitStatus.FAILED.code());
        assertThat(refused.output).contains("check that the server runs").doesNotContain("\tat ");
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void theLauncherRunsTheJarAndPassesItsStatusOn() throws Exception {
        Path launcher = Path.of("..", "tallystick").toAbsolutePath().normalize();

        assertThat(run(launcher, "--version").output).startsWith("tallystick ").doesNotContain("not from a jar");
        Ended refused = run(launcher, "list", root);
        assertThat(refused.exitCode).isEqualTo(ExitStatus.NO_STORE.code());
        assertThat(refused.output).startsWith("tallystick: directory=").doesNotContain("\tat ");
    }

    @Test
    void theJarKeepsVersionsServicesAndLicences() throws Exception {
        try (JarFile jar = new JarFile(jar().toFile())) {
            assertThat(jar.getManifest().getMainAttributes().getValue("Multi-Release"))
                    .isEqualTo("true");
            assertThat(jar.getEntry("META-INF/services/io.tallystick.store.spi.ObjectStoreProvider"))
                    .isNotNull();
            String providers = new String(
                    jar.getInputStream(jar.getEntry("META-INF/services/io.tallystick.store.spi.ObjectStoreProvider"))
                            .readAllBytes(),
                    StandardCharsets.UTF_8);
            assertThat(providers.lines()).hasSize(4);
            assertThat(jar.getEntry("META-INF/services/io.tallystick.store.spi.RemoteLogs"))
                    .isNotNull();
            assertThat(new String(
                            jar.getInputStream(jar.getEntry("META-INF/LICENSE")).readAllBytes(),
                            StandardCharsets.UTF_8))
                    .contains("PostgreSQL Global Development Group");
            assertThat(jar.stream().map(entry -> entry.getName()))
                    .anyMatch(name -> name.endsWith(".so"))
                    .anyMatch(name -> name.startsWith("META-INF/LICENSE"))
                    .noneMatch(name -> name.endsWith("module-info.class"));
        }
    }

    private static Ended java(Object... arguments) throws IOException, InterruptedException {
        List<Object> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java"), "-XX:+UseSerialGC", "-jar", jar()));
        command.addAll(List.of(arguments));
        return run(command.toArray());
    }

    private static Path jar() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("target"))) {
            return files.filter(file -> file.getFileName().toString().matches("tallystick-tool-.*-all\\.jar"))
                    .findFirst()
                    .orElseThrow()
                    .toAbsolutePath();
        }
    }

    private static Ended run(Object... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Stream.of(command).map(Object::toString).toList())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output);
    }
}
