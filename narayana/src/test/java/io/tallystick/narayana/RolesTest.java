package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.ChildJvm;
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
        String printed = run();
        assertThat(printed.split("TALLY0416", -1)).as(printed).hasSize(2);
        assertThat(printed)
                .contains("TALLY0416 only some of Narayana's roles use this store: the log=" + OURS
                        + ", states (stateStore)=")
                .contains("messages (communicationStore)="
                        + "com.arjuna.ats.internal.arjuna.objectstore.ShadowNoFileLockStore")
                .contains("-Dcom.arjuna.ats.arjuna.objectstore.objectStoreType=" + OURS)
                .contains("log: TallystickObjectStore writes=1 in memory")
                .contains("states: ShadowNoFileLockStore")
                .contains("messages: ShadowNoFileLockStore")
                .contains("balance: balance")
                .contains("recovery sees processes: 0");
    }

    @Test
    void aRoleOfOursBesideALogThatIsNotWarnsToo() {
        properties.put("ObjectStoreEnvironmentBean.communicationStore.objectStoreType", OURS);
        properties.put("ObjectStoreEnvironmentBean.objectStoreDir", path("narayana"));
        properties.put("ObjectStoreEnvironmentBean.stateStore.objectStoreDir", path("narayana"));
        assertThat(run())
                .contains("TALLY0416")
                .contains("the log=com.arjuna.ats.internal.arjuna.objectstore.ShadowNoFileLockStore")
                .contains("messages (communicationStore)=" + OURS);
    }

    /** Narayana's log goes on, and its recovery sees what lies there. The same log is refused where it is replaced. */
    @Test
    void anOldLogIsNoneForARoleOfOursBesideIt() throws IOException {
        properties.put("ObjectStoreEnvironmentBean.communicationStore.objectStoreType", OURS);
        properties.put("ObjectStoreEnvironmentBean.objectStoreDir", path("narayana"));
        properties.put("ObjectStoreEnvironmentBean.stateStore.objectStoreDir", path("narayana"));
        OldLogGuardTest.putTransaction(directory.resolve("narayana"));
        assertThat(run()).doesNotContain("TALLY0412");

        properties.put("ObjectStoreEnvironmentBean.objectStoreType", OURS);
        assertThat(ChildJvm.of(RolesProcess.class)
                        .in(directory)
                        .withProperties(properties)
                        .endsWith(1, path("resources")))
                .contains("TALLY0412");
    }

    @Test
    void aMisspeltKeyInNarayanasPropertiesFileIsRefused() throws IOException {
        Properties file = new Properties();
        file.putAll(properties);
        file.put("tallystick.jornal.io", "direct");
        file.put("tallystick.reaper.workers", "2");
        file.put("CoreEnvironmentBean.nodeIdentifier", "1");
        file.put("com.arjuna.ats.arjuna.objectstore.objectStoreType", OURS);
        properties.clear();
        properties.put("com.arjuna.ats.arjuna.common.propertiesFile", storedAsXml(file));
        assertThat(ChildJvm.of(RolesProcess.class)
                        .in(directory)
                        .withProperties(properties)
                        .endsWith(1, path("resources")))
                .contains("TALLY0415")
                .contains("unknown key 'tallystick.jornal.io'")
                .contains("did you mean 'tallystick.journal.io'?");
    }

    @Test
    void everythingMayStandInNarayanasPropertiesFile() throws IOException {
        Properties file = new Properties();
        file.putAll(properties);
        file.put("CoreEnvironmentBean.nodeIdentifier", "1");
        for (String role : NarayanaProcess.ROLES) {
            file.put("ObjectStoreEnvironmentBean." + role + "objectStoreType", OURS);
        }
        properties.clear();
        properties.put("com.arjuna.ats.arjuna.common.propertiesFile", storedAsXml(file));
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
        assertThat(ChildJvm.of(RolesProcess.class)
                        .in(directory)
                        .withProperties(properties)
                        .endsWith(1, path("resources")))
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
        ChildJvm.of(CrashingProcess.class)
                .in(directory)
                .withClassPath(classPath)
                .withProperties(settings)
                .endsWith(CrashingProcess.STATUS, "before commit", "1", transaction.toString());
        assertThat(ChildJvm.of(RecoveringProcess.class)
                        .in(directory)
                        .withClassPath(classPath)
                        .withProperties(settings)
                        .endsWith(0, path("resources")))
                .contains(RecoveringProcess.LEFT + 0);
        assertThat(FileResource.transactions(transaction.resolve("a"), "committed"))
                .hasSize(1);
    }

    private String storedAsXml(Properties file) throws IOException {
        Path path = directory.resolve("narayana.xml");
        try (var stream = Files.newOutputStream(path)) {
            file.storeToXML(stream, "for this test", StandardCharsets.UTF_8);
        }
        return path.toString();
    }

    private void assertThatAllThreeAreServedBy(String served) throws IOException {
        assertThat(run())
                .doesNotContain("TALLY0416")
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
        return ChildJvm.of(RolesProcess.class)
                .in(directory)
                .withProperties(properties)
                .endsWith(0, path("resources"));
    }

    private String path(String name) {
        return directory.resolve(name).toString();
    }
}
