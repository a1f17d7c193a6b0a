package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.spi.StoreInspection;
import io.tallystick.store.spi.StoreInspector;
import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores of others, whose jars the command line names. */
class ForeignClassesTest {
    @TempDir
    Path temporary;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** Takes any directory for an empty store of its kind. */
    public static final class RingInspector implements StoreInspector {
        @Override
        public String kind() {
            return "ring-v1";
        }

        @Override
        public boolean recognizes(Path directory) {
            return directory.endsWith("ring");
        }

        @Override
        public StoreInspection inspect(Path directory) {
            return new StoreInspection(
                    directory, kind(), Optional.empty(), Optional.empty(), Map.of(), List.of(), List.of(), List.of());
        }

        @Override
        public StoreInspection inspectOwned(Path directory) {
            return inspect(directory);
        }
    }

    @Test
    void aStoreOfOthersIsReadWithItsJarAndNotWithout() throws Exception {
        Path store = Files.createDirectory(temporary.resolve("ring"));
        Path names = temporary.resolve("classes/META-INF/services/" + StoreInspector.class.getName());
        Files.createDirectories(names.getParent());
        Files.writeString(names, RingInspector.class.getName());
        ClassLoader before = Thread.currentThread().getContextClassLoader();

        int withIt = run("--class-path", temporary.resolve("classes").toString(), "verify", store.toString());

        assertThat(withIt).as(err.toString()).isZero();
        assertThat(out.toString()).contains("kind=ring-v1", "healthy");
        assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
        assertThat(run("verify", store.toString())).isNotZero();
    }

    @Test
    void aJarThatIsNotThereIsRefusedBeforeTheCommandRuns() throws Exception {
        Path noJar = Files.writeString(temporary.resolve("notes.txt"), "not a jar");
        for (String classPath : List.of(
                "nope.jar",
                temporary + File.pathSeparator + "nope.jar",
                "nope.jar\0",
                noJar.toString(),
                File.pathSeparator)) {
            assertThat(run("--class-path", classPath, "verify", temporary.toString()))
                    .isEqualTo(2);
        }
        assertThat(err.toString())
                .contains("--class-path: 'nope.jar' is no jar that can be read; name jars or directories");
        assertThat(out.toString()).isEmpty();
    }

    private int run(String... arguments) {
        return Main.run(arguments, new PrintWriter(out, true), new PrintWriter(err, true));
    }
}
