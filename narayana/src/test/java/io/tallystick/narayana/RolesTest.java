package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every documented way to choose our store for Narayana's roles, in a process of its own with a real transaction. */
class RolesTest {
    private static final String OURS = TallystickObjectStore.class.getName();

    @TempDir
    private Path directory;

    private final Map<String, String> properties = new LinkedHashMap<>();

    @BeforeEach
    void useAStoreInMemory() {
        properties.put("tallystick.store", "inmemory");
    }

    @Test
    void oneTypePropertyForEachRoleChoosesOurStoreForIt() throws IOException {
        for (String role : NarayanaProcess.ROLES) {
            properties.put("ObjectStoreEnvironmentBean." + role + "objectStoreType", OURS);
        }
        assertThatAllThreeAreServedBy("TallystickObjectStore writes=4 in memory");
    }

    @Test
    void theFormWithThePackagePrefixChoosesOurStoreForAllThree() throws IOException {
        properties.put("com.arjuna.ats.arjuna.objectstore.objectStoreType", OURS);
        assertThatAllThreeAreServedBy("TallystickObjectStore writes=4 in memory");
    }

    @Test
    void theFormWithoutARoleChoosesOurStoreForTheLogAlone() {
        properties.put("ObjectStoreEnvironmentBean.objectStoreType", OURS);
        properties.put("ObjectStoreEnvironmentBean.stateStore.objectStoreDir", path("narayana"));
        properties.put("ObjectStoreEnvironmentBean.communicationStore.objectStoreDir", path("narayana"));
        assertThat(run())
                .contains("log: TallystickObjectStore writes=1 in memory")
                .contains("states: ShadowNoFileLockStore")
                .contains("messages: ShadowNoFileLockStore")
                .contains("balance: balance")
                .contains("recovery sees processes: 0");
    }

    @Test
    void everythingMayStandInNarayanasPropertiesFile() throws IOException {
        Properties file = new Properties();
        file.putAll(properties);
        file.put("CoreEnvironmentBean.nodeIdentifier", "1");
        for (String role : NarayanaProcess.ROLES) {
            file.put("ObjectStoreEnvironmentBean." + role + "objectStoreType", OURS);
        }
        Path path = directory.resolve("narayana.xml");
        try (var stream = Files.newOutputStream(path)) {
            file.storeToXML(stream, "for this test", StandardCharsets.UTF_8);
        }
        properties.clear();
        properties.put("com.arjuna.ats.arjuna.common.propertiesFile", path.toString());
        assertThatAllThreeAreServedBy("TallystickObjectStore writes=4 in memory");
    }

    @Test
    void withoutADirectoryOfItsOwnTheStoreLivesBesideNarayanas() throws IOException {
        properties.putAll(StoreKind.SEGMENTED_CHANNEL.settings());
        properties.put("com.arjuna.ats.arjuna.objectstore.objectStoreType", OURS);
        properties.put("ObjectStoreEnvironmentBean.objectStoreDir", path("resources"));
        assertThatAllThreeAreServedBy("TallystickObjectStore writes=4 "
                + directory.toRealPath().resolve("resources").resolve("TallystickObjectStore"));
    }

    /** The file in the narayana-jta jar uses the short form, which goes before the form with the prefix. */
    @Test
    void theNoteInNarayanasOwnFileHidesADirectoryWithThePackagePrefixAndTheMessageSaysWhatToDo() {
        properties.put("tallystick.store", "journal");
        properties.put("com.arjuna.ats.arjuna.objectstore.objectStoreType", OURS);
        properties.put("com.arjuna.ats.arjuna.objectstore.objectStoreDir", path("resources"));
        assertThat(ChildJvm.run(directory, 1, properties, RolesProcess.class, path("resources")))
                .contains("PutObjectStoreDirHere")
                .contains("-Dtallystick.directory=");
    }

    /** What docs/embedding-narayana.md says about exclusions: narayana-jta and three small jars do, with recovery. */
    @Test
    void fourJarsBesideOurOwnAreEnough() throws IOException {
        List<String> needed =
                List.of("narayana-jta-", "jboss-logging-", "jakarta.transaction-api-", "jboss-transaction-spi-");
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.endsWith(".jar")
                        || Path.of(entry).getFileName().toString().startsWith("tallystick-")
                        || needed.stream()
                                .anyMatch(name ->
                                        Path.of(entry).getFileName().toString().startsWith(name)))
                .collect(Collectors.joining(File.pathSeparator));
        assertThat(classPath.split("\\.jar")).hasSizeGreaterThan(needed.size());
        Map<String, String> settings =
                NarayanaProcess.properties(StoreKind.SEGMENTED_CHANNEL.settings(), directory.resolve("store"));
        Path transaction = directory.resolve("resources").resolve("transaction");
        ChildJvm.run(
                directory,
                CrashingProcess.STATUS,
                classPath,
                settings,
                CrashingProcess.class,
                "before commit",
                "1",
                transaction.toString());
        assertThat(ChildJvm.run(directory, 0, classPath, settings, RecoveringProcess.class, path("resources")))
                .contains(RecoveringProcess.LEFT + 0);
        assertThat(FileResource.transactions(transaction.resolve("a"), "committed"))
                .hasSize(1);
    }

    private void assertThatAllThreeAreServedBy(String served) throws IOException {
        assertThat(run())
                .contains("log: " + served)
                .contains("states: " + served)
                .contains("messages: " + served)
                .contains("balance: balance")
                .contains("recovery sees processes: 1");
        assertThatNothingLiesAround();
    }

    private void assertThatNothingLiesAround() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> !name.startsWith("output") && !name.equals("narayana.xml")))
                    .containsExactlyInAnyOrder("resources");
        }
    }

    private String run() {
        return ChildJvm.run(directory, 0, properties, RolesProcess.class, path("resources"));
    }

    private String path(String name) {
        return directory.resolve(name).toString();
    }
}
