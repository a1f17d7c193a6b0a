package io.tallystick.narayana.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.narayana.TallystickObjectStore;
import io.tallystick.storage.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application whose dependencies are Narayana and this artifact, and whose settings are one property. */
class OneDependencyTest {
    @TempDir
    private Path directory;

    @Test
    void aProgramThatInstallsTheStoreNeedsItsDirectoryAlone() throws IOException {
        Path store = directory.resolve("log");
        assertThat(run(Map.of("tallystick.directory", store.toString()), "install"))
                .contains(OneDependencyProgram.LOG + "journal engine=segmented")
                .contains("directory=" + store);
        assertThat(run(Map.of("tallystick.directory", store.toString()), "install"))
                .contains("forced for each transaction: true");
    }

    @Test
    void underAFrameworkThatNamesNarayanasDirectoryTheClassAloneIsEnough() throws IOException {
        assertThat(run(
                        Map.of(
                                "com.arjuna.ats.arjuna.objectstore.objectStoreType",
                                TallystickObjectStore.class.getName()),
                        "framework",
                        directory.resolve("tx").toString()))
                .contains(OneDependencyProgram.LOG + "journal engine=segmented")
                .contains("directory=" + directory.resolve("tx").resolve("TallystickObjectStore"))
                .contains("forced for each transaction: true");
    }

    private String run(Map<String, String> oneProperty, String... arguments) throws IOException {
        assertThat(oneProperty).hasSize(1);
        return ChildJvm.of(OneDependencyProgram.class)
                .in(directory)
                .withClassPath(String.join(File.pathSeparator, classPath()))
                .withProperties(oneProperty)
                .endsWith(0, arguments);
    }

    private static List<String> classPath() throws IOException {
        List<String> classPath = new ArrayList<>();
        classPath.add(System.getProperty("test.class-path.program"));
        classPath.addAll(elements("test.class-path.artifact"));
        classPath.addAll(elements("test.class-path.narayana"));
        assertThat(classPath)
                .doesNotHaveDuplicates()
                .noneMatch(element -> element.contains("junit"))
                .anyMatch(element -> element.contains("narayana-jta"))
                .anyMatch(element -> element.contains("store-journal"));
        return classPath;
    }

    private static List<String> elements(String property) throws IOException {
        String text = Files.readString(Path.of(System.getProperty(property))).strip();
        return List.of(text.split(File.pathSeparator));
    }
}
