package io.tallystick.wildfly;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The zip, as it is. */
class ZipTest {
    private static final Pattern RESOURCE = Pattern.compile("<resource-root path=\"([^\"]+)\"/>");

    @TempDir
    private Path unpacked;

    @Test
    void everyJarOfTheZipIsNamedByItsModuleAndEveryNamedJarIsThere() throws IOException {
        Zip.unpack(Path.of(System.getProperty("tallystick.zip")), unpacked);
        for (String module : List.of("modules/io/tallystick/main", "modules/io/tallystick/wildfly/main")) {
            Path directory = unpacked.resolve(module);
            Set<String> named = RESOURCE.matcher(Files.readString(directory.resolve("module.xml")))
                    .results()
                    .map(match -> match.group(1))
                    .collect(Collectors.toCollection(TreeSet::new));
            try (Stream<Path> files = Files.list(directory)) {
                Set<String> there = files.map(file -> file.getFileName().toString())
                        .filter(name -> name.endsWith(".jar"))
                        .collect(Collectors.toCollection(TreeSet::new));
                assertThat(named).as(module).isEqualTo(there).isNotEmpty();
            }
        }
        assertThat(unpacked.resolve("bin/tallystick-install.cli")).isRegularFile();
        assertThat(unpacked.resolve("bin/tallystick-remove.cli")).isRegularFile();
    }
}
