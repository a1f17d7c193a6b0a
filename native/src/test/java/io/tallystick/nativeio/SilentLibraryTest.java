package io.tallystick.nativeio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Through the native library {@code aio} starts SLF4J, so a trial takes it only where that says nothing. */
class SilentLibraryTest {
    @TempDir
    Path directory;

    @Test
    void withoutAProviderOfSlf4jTheDeviceIsUsedOnlyByName() throws Exception {
        assertThat(onlyByNameBecause("nothing")).hasValueSatisfying(reason -> assertThat(reason)
                .contains("SLF4J has no provider")
                .contains("org.slf4j:slf4j-nop")
                .contains("tallystick.journal.io=aio"));
    }

    @Test
    void withAProviderOfSlf4jTheDeviceIsTried() throws Exception {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve("org.slf4j.spi.SLF4JServiceProvider"), "some.Provider");

        assertThat(onlyByNameBecause("nothing")).isEmpty();
    }

    @Test
    void withAProviderOfTheOldSlf4jTheDeviceIsTried() throws Exception {
        Path old = Files.createDirectories(directory.resolve("org/slf4j/impl"));
        Files.createFile(old.resolve("StaticLoggerBinder.class"));

        assertThat(onlyByNameBecause("nothing")).isEmpty();
    }

    @Test
    void withoutTheLibrarysJarTheReasonIsLeftToTheTrial() throws Exception {
        assertThat(onlyByNameBecause("artemis-native")).isEmpty();
    }

    /** Asks a device of a class loader of its own, which has the test's directory too; as before JDK 22. */
    private Optional<String> onlyByNameBecause(String withoutJar) throws Exception {
        List<URL> urls = new ArrayList<>();
        urls.add(directory.toUri().toURL());
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!entry.contains(withoutJar) && !entry.contains("META-INF")) {
                urls.add(Path.of(entry).toUri().toURL());
            }
        }
        try (URLClassLoader loader =
                new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Object device = loader.loadClass("io.tallystick.nativeio.AioDevice")
                    .getConstructor()
                    .newInstance();
            return ((Optional<?>)
                            device.getClass().getMethod("onlyByNameBecause").invoke(device))
                    .map(String.class::cast);
        }
    }
}
