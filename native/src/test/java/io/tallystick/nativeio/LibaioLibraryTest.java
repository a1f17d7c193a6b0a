package io.tallystick.nativeio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tallystick.storage.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.activemq.artemis.nativo.jlibaio.LibaioContext;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class LibaioLibraryTest {
    @TempDir
    Path directory;

    @Test
    void loadingMakesTheStockContextWork() throws IOException {
        Optional<String> reason = LibaioLibrary.load();
        assumeTrue(reason.isEmpty(), () -> "skipped: " + reason.orElseThrow());
        assertThat(LibaioContext.isLoaded()).isTrue();
        new LibaioContext<>(8, false, false).close();
        assertThat(LibaioLibrary.load()).isEmpty();
    }

    @Test
    void loadingLeavesNoNameOfItsOpenFileBehind() throws IOException {
        Optional<String> reason = LibaioLibrary.load();
        assumeTrue(reason.isEmpty(), () -> "skipped: " + reason.orElseThrow());
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            assertThat(descriptors.map(LibaioLibraryTest::target))
                    .filteredOn(target -> target.contains("artemisJLHandler"))
                    .allMatch(target -> target.endsWith("(deleted)"));
        }
    }

    @Test
    void loadingLeavesNothingInTheDirectoryOfTemporaryFiles() throws IOException {
        Path temporary = Files.createDirectory(directory.resolve("temporary"));
        List<String> said = ChildJvm.of(Loading.class)
                .withOutputIn(directory)
                .withErrorsApart()
                .with("-Djava.io.tmpdir=" + temporary, "-XX:-UsePerfData")
                .lines();
        assumeTrue(said.equals(List.of(Loading.DONE)), () -> "skipped: " + said);
        assertThat(temporary).isEmptyDirectory();
    }

    /** A process of its own: other processes may be loading the library from the directory that all share. */
    static final class Loading {
        private static final String DONE = "loaded";

        private Loading() {}

        public static void main(String[] arguments) {
            System.out.println(LibaioLibrary.load().orElse(DONE));
        }
    }

    @EnabledOnOs(
            value = OS.LINUX,
            architectures = "amd64",
            disabledReason = "skipped: the native library is for Linux on x86-64")
    @Test
    void aJarInAnotherClassLoaderIsNamed() throws Exception {
        List<URL> ours = new ArrayList<>();
        List<URL> theirs = new ArrayList<>();
        for (String element : System.getProperty("java.class.path").split(File.pathSeparator)) {
            boolean isTheirs = element.contains("artemis-native") || element.contains("slf4j");
            (isTheirs ? theirs : ours).add(Path.of(element).toUri().toURL());
        }
        try (URLClassLoader parent =
                        new URLClassLoader("theirs", theirs.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
                URLClassLoader child = new URLClassLoader("ours", ours.toArray(URL[]::new), parent)) {
            Object reason = child.loadClass(LibaioLibrary.class.getName())
                    .getMethod("load")
                    .invoke(null);
            assertThat(reason)
                    .asInstanceOf(InstanceOfAssertFactories.optional(String.class))
                    .hasValueSatisfying(
                            sentence -> assertThat(sentence).contains("Put both jars into one class loader"));
        }
    }

    @Test
    void theLibraryIsUnpackedForItsOwnerOnly() throws IOException {
        Path fresh = directory.resolve("fresh");
        Path library = LibaioLibrary.unpackTo(fresh);
        assertThat(library).isEqualTo(fresh.resolve("libartemis-native-64.so")).hasSize(29096);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(fresh)))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(library)))
                .isEqualTo("rw-------");
    }

    @Test
    void unpackingReplacesWhatIsThere() throws IOException {
        Path library = LibaioLibrary.unpackTo(directory);
        Files.writeString(library, "something else");
        assertThat(LibaioLibrary.unpackTo(directory)).hasSize(29096);
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).containsExactly(library);
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException closedMeanwhile) {
            return "";
        }
    }
}
