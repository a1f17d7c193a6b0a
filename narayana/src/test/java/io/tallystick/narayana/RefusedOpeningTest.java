package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.ChildJvm;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that cannot be opened says so itself, once, in a process that drops every exception. */
class RefusedOpeningTest {
    private static final String REFUSED = "TALLY0415 the store for Narayana was not opened, and"
            + " Narayana itself may not say so; mend this and start the process again: ";

    @TempDir
    private Path directory;

    @Test
    void aMisspeltKeyIsLoggedOnce() {
        assertThatItSaysOnce(Map.of("tallystick.jornal.io", "direct"), REFUSED + "unknown key 'tallystick.jornal.io'");
    }

    @Test
    void aBadValueIsLoggedOnce() {
        assertThatItSaysOnce(Map.of("tallystick.journal.io", "drect"), REFUSED + "tallystick.journal.io='drect'");
    }

    @Test
    void aMissingStoreJarIsLoggedOnceWithItsArtifact() {
        assertThat(run(classPathWithout("tallystick-store-journal", "store-journal"), settings()))
                .satisfies(printed -> assertThatOnce(printed, REFUSED + "tallystick.store='journal' is not there"))
                .contains("add the artifact tallystick-store-journal");
    }

    @Test
    void aMissingJarOfALowerModuleIsLoggedOnceWithTheClass() {
        assertThat(run(classPathWithout("tallystick-storage", "/storage"), settings()))
                .satisfies(printed -> assertThatOnce(printed, REFUSED + "a class is missing or does not fit"))
                .contains("NoClassDefFoundError: io/tallystick/storage/")
                .contains("put all artifacts that the store needs, of one version, on the class path");
    }

    @Test
    void aDirectoryThatCannotBeMadeIsLoggedOnceWithItsPath() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        String below = file.resolve("store").toString();

        assertThat(assertThatItSaysOnce(Map.of("tallystick.directory", below), REFUSED + "TALLY0010"))
                .contains(below);
    }

    @Test
    void noDirectoryIsLoggedOnceWithTheKey() {
        Map<String, String> without = settings();
        without.remove("tallystick.directory");

        assertThat(run(System.getProperty("java.class.path"), without))
                .satisfies(printed -> assertThatOnce(printed, REFUSED + "no directory is configured"))
                .contains("set -Dtallystick.directory=");
    }

    @Test
    void aLockedDirectoryIsLoggedOnceWithItsOwner() {
        Path store = directory.resolve("store");
        try (ObjectStore ours = ObjectStores.open(
                StoreConfiguration.builder().store("journal").directory(store).build())) {
            assertThat(ours.description().directory()).isPresent();
            assertThat(assertThatItSaysOnce(Map.of(), REFUSED + "TALLY0015"))
                    .contains(store.toString())
                    .contains(String.valueOf(ProcessHandle.current().pid()));
        }
    }

    @Test
    void aCopyOfTheDirectoryIsRefusedToItsNodeAndTheOriginalGoesOn() throws IOException {
        Path copy = Files.createDirectory(directory.resolve("copy"));
        StateKey key = StateKey.of("/Later", ObjectId.parse("01"));
        try (ObjectStore ours = ObjectStores.open(StoreConfiguration.builder()
                .store("file")
                .directory(directory.resolve("store"))
                .set(StoreOption.NODE_ID, "orders-0")
                .build())) {
            try (Stream<Path> files = Files.list(directory.resolve("store"))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Files.copy(file, copy.resolve(file.getFileName()));
                }
            }
            Map<String, String> onTheCopy = Map.of(
                    "tallystick.store", "file",
                    "tallystick.directory", copy.toString(),
                    "tallystick.node-id", "orders-0");

            assertThat(assertThatItSaysOnce(onTheCopy, REFUSED + "TALLY0022"))
                    .contains("tallystick accept-copy " + copy.toRealPath());
            ours.write(key, new byte[] {1}, Durability.FORCED);
            ours.proveOwned();
            assertThat(ours.read(key)).isPresent();
        }
    }

    @Test
    void aMisspeltKeyOfTheReaperIsLoggedOnce() {
        assertThatItSaysOnce(
                Map.of(
                        "tallystick.reaper.wokers",
                        "2",
                        "JTAEnvironmentBean.transactionManagerClassName",
                        TallystickTransactionManager.class.getName()),
                "TALLY0613 the reaper of this process was not opened");
    }

    @Test
    void aMissingClassThatShowsLateIsLoggedWithTheRemedy() {
        Refusals refusals = new Refusals(System.getLogger(RefusedOpeningTest.class.getName()), "not opened: ");
        try (LogOf log = new LogOf(RefusedOpeningTest.class)) {
            assertThatThrownBy(() -> refusals.tellingOf(() -> {
                        throw new NoClassDefFoundError("some/Missing");
                    }))
                    .isInstanceOf(NoClassDefFoundError.class);

            assertThat(log.messages())
                    .singleElement()
                    .asString()
                    .contains("some/Missing")
                    .contains("put all artifacts that the store needs");
            assertThat(log.levels()).containsExactly(Level.SEVERE);
        }
    }

    @Test
    void aRefusalIsLoggedAgainAfterTheStoreWasOpenMeanwhile() {
        Refusals refusals = new Refusals(System.getLogger(RefusedOpeningTest.class.getName()), "not opened: ");
        try (LogOf log = new LogOf(RefusedOpeningTest.class)) {
            for (int attempt = 0; attempt < 3; attempt++) {
                refuse(refusals, "one reason");
            }
            refuse(refusals, "another reason");
            assertThat(refusals.tellingOf(() -> "open")).isEqualTo("open");
            refuse(refusals, "one reason");

            assertThat(log.messages())
                    .containsExactly("not opened: one reason", "not opened: another reason", "not opened: one reason");
        }
    }

    private static void refuse(Refusals refusals, String reason) {
        assertThatThrownBy(() -> refusals.tellingOf(() -> {
                    throw new IllegalArgumentException(reason);
                }))
                .hasMessage(reason);
    }

    private String assertThatItSaysOnce(Map<String, String> more, String text) {
        Map<String, String> settings = settings();
        settings.putAll(more);
        String printed = run(System.getProperty("java.class.path"), settings);
        assertThatOnce(printed, text);
        return printed;
    }

    private static void assertThatOnce(String printed, String text) {
        assertThat(Pattern.compile(Pattern.quote(text))
                        .matcher(printed)
                        .results()
                        .count())
                .as("'%s' in:%n%s", text, printed)
                .isEqualTo(1);
    }

    private Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("com.arjuna.ats.arjuna.objectstore.objectStoreType", TallystickObjectStore.class.getName());
        settings.put("tallystick.store", "journal");
        settings.put("tallystick.directory", directory.resolve("store").toString());
        return settings;
    }

    private String run(String classPath, Map<String, String> settings) {
        return ChildJvm.of(SwallowingProcess.class)
                .in(directory)
                .withClassPath(classPath)
                .withProperties(settings)
                .endsWith(0, directory.resolve("resources").toString());
    }

    /** Without an artifact, which is a jar or, while Maven tests, the classes of its module. */
    private static String classPathWithout(String artifact, String module) {
        List<String> kept = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !isOf(artifact, Path.of(entry).getFileName().toString())
                        && !entry.endsWith(module + "/target/classes"))
                .collect(Collectors.toList());
        assertThat(kept).hasSize(System.getProperty("java.class.path").split(File.pathSeparator).length - 1);
        return String.join(File.pathSeparator, kept);
    }

    private static boolean isOf(String artifact, String file) {
        return file.startsWith(artifact + "-0") && !file.endsWith("-tests.jar");
    }
}
