package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.eclipsesource.json.JsonObject;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What the tool says of settings. */
class DoctorCommandTest {
    private static final String OUR_CLASS = "io.tallystick.narayana.TallystickObjectStore";
    private static final String LOG = "-DObjectStoreEnvironmentBean.objectStoreType=" + OUR_CLASS;
    private static final String STATES = "-DObjectStoreEnvironmentBean.stateStore.objectStoreType=" + OUR_CLASS;
    private static final String MESSAGES =
            "-DObjectStoreEnvironmentBean.communicationStore.objectStoreType=" + OUR_CLASS;

    @TempDir
    Path root;

    @Test
    void threeRolesInOneDirectoryAreSound() throws IOException {
        Path store = TestStores.filled(Kind.SEGMENTED, root.resolve("tx"));
        Map<String, String> before = TestStores.snapshot(store);

        JsonObject answer = ToolRun.of(
                        "doctor",
                        "--json",
                        LOG,
                        STATES,
                        MESSAGES,
                        "-DCoreEnvironmentBean.nodeIdentifier=shop-1",
                        "-DJTAEnvironmentBean.xaRecoveryNodes=shop-1",
                        "-Dtallystick.on-unknown-outcome=halt",
                        "-Dtallystick.directory=" + store)
                .endsWith(ExitStatus.OK)
                .json();

        assertThat(answer.get("roles").asObject())
                .allSatisfy(role -> assertThat(role.getValue().asString()).isEqualTo(OUR_CLASS));
        assertThat(answer.get("problems").asArray()).isEmpty();
        JsonObject found = answer.get("store").asObject();
        assertThat(found.getString("found", "")).isEqualTo("journal-segmented-v1");
        assertThat(found.getString("inUseBy", "?")).isEmpty();
        assertThat(TestStores.snapshot(store)).isEqualTo(before);
    }

    @Test
    void theOldLongFormReachesAllRolesAndAShorterOneWins() {
        ToolRun run = ToolRun.of(
                "doctor",
                "-Dcom.arjuna.ats.arjuna.objectstore.objectStoreType=" + OUR_CLASS,
                "-DObjectStoreEnvironmentBean.stateStore.objectStoreType=some.Other",
                "-Dtallystick.store=inmemory");

        assertThat(run.endsWith(ExitStatus.OK).lines())
                .contains(
                        "action store         " + OUR_CLASS,
                        "state store          some.Other",
                        "communication store  " + OUR_CLASS)
                .anyMatch(line -> line.contains("state store stays with some.Other"))
                .anyMatch(line -> line.contains("the store in memory ends with the process"));
    }

    @Test
    void theFileThatNarayanaBringsIsReadAndItsTrapsAreTold() throws IOException {
        Path file = Files.writeString(root.resolve("jbossts-properties.xml"), """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE properties SYSTEM "http://java.sun.com/dtd/properties.dtd">
                <properties>
                  <entry key="ObjectStoreEnvironmentBean.objectStoreDir">PutObjectStoreDirHere</entry>
                  <entry key="CoreEnvironmentBean.nodeIdentifier">1</entry>
                  <entry key="JTAEnvironmentBean.xaRecoveryNodes">2</entry>
                  <entry key="ObjectStoreEnvironmentBean.default.objectStoreType">some.Other</entry>
                </properties>
                """);

        assertThat(ToolRun.of("doctor", "--narayana", file)
                        .endsWith(ExitStatus.NEGATIVE)
                        .out())
                .contains(
                        "no directory is configured",
                        "no class reads ObjectStoreEnvironmentBean.default.objectStoreType",
                        "nodeIdentifier is 1",
                        "xaRecoveryNodes [2] does not name the node 1",
                        "no role of Narayana is served by Tallystick");
    }

    @Test
    void ourStoreLiesBelowNarayanasDirectoryIfItHasNoneOfItsOwn() throws IOException {
        Path file = Files.writeString(root.resolve("jbossts-properties.xml"), """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE properties SYSTEM "http://java.sun.com/dtd/properties.dtd">
                <properties>
                  <entry key="ObjectStoreEnvironmentBean.objectStoreDir">${data.dir:/nowhere}/tx</entry>
                  <entry key="TallystickStoreEnvironmentBean.journalEngine">artemis</entry>
                </properties>
                """);

        assertThat(ToolRun.of("doctor", "--narayana", file, "-Ddata.dir=" + root, LOG)
                        .endsWith(ExitStatus.OK)
                        .out())
                .contains(
                        "directory            " + root.resolve("tx/TallystickObjectStore"),
                        "engine=artemis",
                        "no store yet");
        assertThat(root.resolve("tx")).doesNotExist();
    }

    @Test
    void anotherStoreThanConfiguredAndOneInUseAreTold() {
        Path store = root.resolve("tx");
        try (ObjectStore opened = Kind.FILE.open(store)) {
            assertThat(ToolRun.of("doctor", "-Dtallystick.directory=" + store)
                            .endsWith(ExitStatus.NEGATIVE)
                            .out())
                    .contains(
                            "holds a store of kind file-v1, but journal-segmented-v1 is configured",
                            "in use               by pid="
                                    + ProcessHandle.current().pid());
            assertThat(opened.types()).isEmpty();
        }
    }

    @Test
    void theRememberedWayToTheDiskIsToldAndForgottenOnRequest() throws IOException {
        Path store = journalWithAMemory();
        Path memory = store.resolve("tallystick.io");

        assertThat(ToolRun.of("doctor", LOG, "-Dtallystick.directory=" + store)
                        .endsWith(ExitStatus.OK)
                        .out())
                .containsPattern("remembered io +(direct|channel|aio|uring), \\d+ us a write in its trial");
        assertThat(memory).exists();
        Map<String, String> before = TestStores.snapshot(store);

        assertThat(ToolRun.of("doctor", "--retry-io", LOG, "-Dtallystick.directory=" + store)
                        .endsWith(ExitStatus.OK)
                        .lines())
                .contains("retry io             the next opening tries the ways to the disk");

        assertThat(memory).doesNotExist();
        assertThat(before).containsKey("tallystick.io");
        before.keySet().removeAll(Set.of("", "tallystick.io"));
        assertThat(TestStores.snapshot(store)).containsAllEntriesOf(before).doesNotContainKey("tallystick.io");
    }

    @Test
    void theWayOfAStoreThatIsInUseIsNotForgotten() throws IOException {
        Path store = journalWithAMemory();
        try (ObjectStore open = journal(store)) {
            assertThat(ToolRun.of("doctor", "--retry-io", "-Dtallystick.directory=" + store)
                            .endsWith(ExitStatus.NEGATIVE)
                            .out())
                    .contains("--retry-io: the store in directory=" + store + " is in use");
            assertThat(open.types()).isEmpty();
        }
        assertThat(store.resolve("tallystick.io")).exists();
    }

    @Test
    void aWayIsForgottenInTheDirectoryOfAJournalOnly() {
        Path store = TestStores.filled(Kind.FILE, root.resolve("tx"));

        assertThat(ToolRun.of("doctor", "--retry-io", "-Dtallystick.store=file", "-Dtallystick.directory=" + store)
                        .endsWith(ExitStatus.NEGATIVE)
                        .out())
                .contains("holds no journal that could be opened");
        assertThat(ToolRun.of("doctor", "--retry-io", "-Dtallystick.directory=" + root.resolve("none"))
                        .endsWith(ExitStatus.NEGATIVE)
                        .out())
                .contains("holds no journal that could be opened");
        assertThat(root.resolve("none")).doesNotExist();
    }

    @Test
    void aWayThatIsConfiguredByNameIsNotTriedAgain() throws IOException {
        Path store = journalWithAMemory();

        assertThat(ToolRun.of(
                                "doctor",
                                "--retry-io",
                                LOG,
                                "-Dtallystick.journal.io=channel",
                                "-Dtallystick.directory=" + store)
                        .endsWith(ExitStatus.OK)
                        .out())
                .contains("--retry-io has no effect as long as tallystick.journal.io=channel");
    }

    @Test
    void aDamagedMemoryIsAWarning() throws IOException {
        Path store = journalWithAMemory();
        Files.writeString(store.resolve("tallystick.io"), "rot");

        assertThat(ToolRun.of("doctor", LOG, "-Dtallystick.directory=" + store)
                        .endsWith(ExitStatus.OK)
                        .out())
                .contains("the remembered way to the disk is lost", "the next opening of the journal replaces it");
    }

    private Path journalWithAMemory() {
        Path store = root.resolve("tx");
        journal(store).close();
        return store;
    }

    private static ObjectStore journal(Path directory) {
        return ObjectStores.open(StoreConfiguration.builder()
                .directory(directory)
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, 256 * StoreOption.KIB)
                .set(StoreOption.MAX_STATE_SIZE, 16 * StoreOption.KIB)
                .build());
    }

    @Test
    void aVolumeThatIsNotMountedIsAProblem() {
        assertThat(ToolRun.of("doctor", "-Dtallystick.expect-existing=true", "-Dtallystick.directory=" + root)
                        .endsWith(ExitStatus.NEGATIVE)
                        .out())
                .contains("is the volume mounted?");
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void aForeignDirectoryIsAProblem() throws IOException {
        Files.writeString(root.resolve("notes.txt"), "x");

        assertThat(ToolRun.of("doctor", "-Dtallystick.directory=" + root)
                        .endsWith(ExitStatus.NEGATIVE)
                        .out())
                .contains("holds no store");
    }

    @Test
    void aMisspeltKeyIsAProblemThatNamesTheRightOne() throws IOException {
        Path file = Files.writeString(root.resolve("tx.properties"), "tallystick.jurnal.io=direct\n");

        assertThat(ToolRun.of("doctor", "--properties", file)
                        .endsWith(ExitStatus.NEGATIVE)
                        .out())
                .contains("tallystick.journal.io");
    }

    @Test
    void aStoreThatIsNotThereIsAProblemThatNamesTheRightOne() {
        assertThat(ToolRun.of(
                                "doctor",
                                LOG,
                                "-Dtallystick.store=jurnal",
                                "-Dtallystick.directory=" + root.resolve("tx"))
                        .endsWith(ExitStatus.NEGATIVE)
                        .out())
                .contains("problem", "jurnal", "did you mean 'journal'?");
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void aMisspeltClassIsAProblemThatNamesTheRightOne() {
        for (String[] wrongAndRight : new String[][] {
            {"io.tallystick.narayana.TalystickObjectStore", OUR_CLASS},
            {"io.tallystick.TallystickObjectStore", OUR_CLASS},
            {
                "com.arjuna.ats.internal.arjuna.objectstore.HornetqObjectStoreAdaptor",
                "com.arjuna.ats.internal.arjuna.objectstore.hornetq.HornetqObjectStoreAdaptor"
            }
        }) {
            assertThat(ToolRun.of(
                                    "doctor",
                                    "-DObjectStoreEnvironmentBean.objectStoreType=" + wrongAndRight[0],
                                    "-Dtallystick.directory=" + root.resolve("tx"))
                            .endsWith(ExitStatus.NEGATIVE)
                            .out())
                    .contains("there is no class " + wrongAndRight[0], "did you mean " + wrongAndRight[1] + "?");
        }
    }

    @Test
    void aClassOfSomebodyElsesIsNotJudged() {
        assertThat(ToolRun.of(
                                "doctor",
                                LOG,
                                STATES,
                                "-DObjectStoreEnvironmentBean.communicationStore.objectStoreType=a.B",
                                "-Dtallystick.directory=" + root.resolve("tx"))
                        .endsWith(ExitStatus.OK)
                        .out())
                .contains("communication store stays with a.B");
    }

    @Test
    void valuesThatDoNotGoTogetherAreAProblemAsTheyAreForTheApplication() {
        for (String[] wrong : new String[][] {
            {"-Dtallystick.journal.segment-size=64KiB", "-Dtallystick.max-state-size=1MiB", "more than a quarter"},
            {"-Dtallystick.journal.io=sync", "-Dtallystick.store=journal", "io=sync"},
            {"-Dtallystick.journal.engine=segmentet", "-Dtallystick.store=journal", "segmentet"},
        }) {
            assertThat(ToolRun.of("doctor", LOG, wrong[0], wrong[1], "-Dtallystick.directory=" + root.resolve("tx"))
                            .endsWith(ExitStatus.NEGATIVE)
                            .out())
                    .contains("problem", wrong[2]);
        }
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void aStoreThatWouldNotOpenIsAProblem() throws IOException {
        Path store = TestStores.filled(Kind.SEGMENTED, root.resolve("tx"));
        TestStores.damage(store, "second");
        Map<String, String> before = TestStores.snapshot(store);

        assertThat(ToolRun.of("doctor", LOG, "-Dtallystick.directory=" + store)
                        .endsWith(ExitStatus.NEGATIVE)
                        .out())
                .contains("offset=", "tallystick verify");
        assertThat(TestStores.snapshot(store)).isEqualTo(before);
    }

    @Test
    void anExchangeThatWasCutOffIsAProblem() throws IOException {
        Path store = TestStores.filled(Kind.SEGMENTED, root.resolve("tx"));
        Files.writeString(store.resolve("tallystick.swap"), "x\n");

        assertThat(ToolRun.of("doctor", LOG, "-Dtallystick.directory=" + store)
                        .endsWith(ExitStatus.NEGATIVE)
                        .out())
                .contains("repair --yes");
    }

    @Test
    void aStoreInUseIsAWarningBecauseItsOwnProcessMayBeTheOneThatIsMeant() {
        Path store = root.resolve("tx");
        try (ObjectStore opened = Kind.SEGMENTED.open(store)) {
            assertThat(ToolRun.of("doctor", LOG, "-Dtallystick.directory=" + store)
                            .endsWith(ExitStatus.OK)
                            .out())
                    .contains("warning", "TALLY0015");
            assertThat(opened.types()).isEmpty();
        }
    }

    @Test
    void theWaysToTheDiskAreToldWithTheirReasons() {
        ToolRun run = ToolRun.of("doctor", LOG, "-Dtallystick.directory=" + root.resolve("a/b/tx"))
                .endsWith(ExitStatus.OK);

        assertThat(run.lines()).anyMatch(line -> line.matches("io +auto, (channel|direct|aio|uring) now"));
        assertThat(run.lines()).anyMatch(line -> line.matches("  channel +\\d+ us a write"));
        for (String way : SyncTrial.WAYS) {
            assertThat(run.lines()).anyMatch(line -> line.startsWith("  " + way + " "));
        }
        JsonObject store = ToolRun.of("doctor", "--json", LOG, "-Dtallystick.directory=" + root.resolve("tx"))
                .endsWith(ExitStatus.OK)
                .json()
                .get("store")
                .asObject();
        assertThat(store.getString("chosen", "")).isIn(SyncTrial.WAYS);
        assertThat(store.get("ways").asObject().names()).containsExactlyInAnyOrderElementsOf(SyncTrial.WAYS);
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void aDirectoryIsTakenAsByEveryOtherCommandAndTellsWhichStoreItIs() throws IOException {
        for (Kind kind : Kind.values()) {
            Path store = TestStores.filled(kind, root.resolve(kind.name()));
            Map<String, String> before = TestStores.snapshot(store);
            assertThat(ToolRun.of("doctor", store).endsWith(ExitStatus.OK).out())
                    .contains("directory            " + store, "found                ");
            assertThat(TestStores.snapshot(store)).isEqualTo(before);
            assertThat(root.resolve(kind.name()).getParent()).isDirectoryNotContaining("glob:**tallystick-doctor*");
        }
        assertThat(ToolRun.of("doctor", "-Dtallystick.store=journal", LOG, root.resolve("FILE"))
                        .endsWith(ExitStatus.NEGATIVE)
                        .out())
                .contains("holds a store of kind file-v1");
        ToolRun.of("doctor", "-Dtallystick.directory=/elsewhere", root.resolve("FILE"))
                .endsWith(ExitStatus.USAGE);
    }

    @Test
    void settingsThatNobodyReadsAreAProblem() throws IOException {
        Path file = Files.writeString(root.resolve("tx.properties"), "tallystick.store=file\n");
        Path store = root.resolve("tx");
        for (Object[] command : new Object[][] {
            {"doctor", "-Dtallystick.directory=" + store},
            {"doctor", "--properties", file, store},
            {"doctor", "-DTallystickStoreEnvironmentBean.journalEngine=artemis", store}
        }) {
            assertThat(ToolRun.of(command).endsWith(ExitStatus.NEGATIVE).lines())
                    .anyMatch(line -> line.matches("problem .*(tallystick.directory|tallystick.store"
                            + "|tallystick.journal.engine) is set, but no role of Narayana .*" + OUR_CLASS + ".*"));
        }
        assertThat(ToolRun.of("doctor", LOG, "-Dtallystick.directory=" + store)
                        .endsWith(ExitStatus.OK)
                        .out())
                .contains("state store stays with", "communication store stays with");
    }

    @Test
    void theTrialIsMadeInNoDirectoryOfAStoreNorBehindALink() throws IOException {
        Path store = TestStores.filled(Kind.FILE, root.resolve("tx"));
        Path link = Files.createSymbolicLink(root.resolve("link"), store);
        Map<String, String> before = TestStores.snapshot(store);

        assertThat(ToolRun.of("doctor", LOG, store.resolve("below"))
                        .endsWith(ExitStatus.OK)
                        .out())
                .contains("io                   auto, not tried");
        assertThat(ToolRun.of("doctor", LOG, link).endsWith(ExitStatus.NEGATIVE).out())
                .contains("is a symbolic link");
        assertThat(TestStores.snapshot(store)).isEqualTo(before);
    }

    @Test
    void theTrialIsNotMadeInAnEmptyDirectoryWhichAKilledTrialWouldLeaveUnusable() throws IOException {
        Path parent = TestStores.filled(Kind.FILE, root.resolve("tx"));
        Path empty = Files.createDirectory(parent.resolve("below"));

        assertThat(ToolRun.of("doctor", LOG, empty).endsWith(ExitStatus.OK).out())
                .contains("io                   auto, not tried: there is no place beside the store on its disk");
        assertThat(empty).isEmptyDirectory();
    }

    @Test
    void variablesThatNobodyReadsAreAProblem() {
        PrintWriter err = new PrintWriter(new StringWriter());
        StringWriter out = new StringWriter();
        CommandLine tool = Main.commandLine();
        ((DoctorCommand) tool.getSubcommands().get("doctor").getCommand())
                .setVariables(
                        Map.of("TALLYSTICK_DIRECTORY", root.resolve("tx").toString(), "TALLYSTICK_STORE", "file"));

        int status = tool.setOut(new PrintWriter(out, true)).setErr(err).execute("doctor");

        assertThat(status).isEqualTo(ExitStatus.NEGATIVE.code());
        assertThat(out.toString()).contains("tallystick.directory, tallystick.store are set, but no role of Narayana");
    }

    @Test
    void keysInAFileOfTheFrameworkAreReadByNobody() throws IOException {
        Path file = Files.writeString(root.resolve("application.properties"), """
                spring.application.name=shop
                ObjectStoreEnvironmentBean.objectStoreType=%s
                tallystick.store=file
                """.formatted(OUR_CLASS));

        assertThat(ToolRun.of("doctor", "--properties", file, LOG, STATES, MESSAGES)
                        .endsWith(ExitStatus.NEGATIVE)
                        .out())
                .contains(
                        "file=" + file,
                        "ObjectStoreEnvironmentBean.objectStoreType, tallystick.store",
                        "system properties",
                        "tallystick.configuration-file")
                .doesNotContain("unknown key");
    }

    /** In Spring Boot the starter installs the store and names the node, and the application's file counts. */
    @Test
    void anApplicationWithTheStarterIsSound() throws IOException {
        Path store = TestStores.filled(Kind.SEGMENTED, root.resolve("tx"));
        Path file = Files.writeString(root.resolve("application.properties"), """
                narayana.node-identifier=${HOSTNAME:bank}
                tallystick.directory=%s
                tallystick.on-unknown-outcome=halt
                tallystick.drain.on-shutdown=true
                """.formatted(store));

        assertThat(ToolRun.of("doctor", "--framework", "spring-boot", "--properties", file)
                        .endsWith(ExitStatus.OK)
                        .lines())
                .contains(
                        "framework            Spring Boot, which installs the store",
                        "action store         " + OUR_CLASS,
                        "nodeIdentifier       set from narayana.node-identifier")
                .noneMatch(line -> line.startsWith("problem") || line.startsWith("warning"));
    }

    @Test
    void anApplicationWithTheExtensionIsFoundOnTheClassPath() throws IOException {
        Path extension = root.resolve("io/tallystick/quarkus/TallystickRecorder.class");
        Files.createDirectories(extension.getParent());
        Files.createFile(extension);
        Path file = Files.writeString(
                root.resolve("application.properties"),
                "quarkus.transaction-manager.node-name=bank\nquarkus.tallystick.directory=" + root.resolve("tx"));
        StringWriter out = new StringWriter();
        CommandLine tool = Main.commandLine();
        try (URLClassLoader application =
                new URLClassLoader(new URL[] {root.toUri().toURL()}, null)) {
            ((DoctorCommand) tool.getSubcommands().get("doctor").getCommand()).setClassPath(application);

            int status = tool.setOut(new PrintWriter(out, true)).execute("doctor", "--properties", file.toString());

            assertThat(status).as(out.toString()).isEqualTo(ExitStatus.OK.code());
        }
        assertThat(out.toString())
                .contains(
                        "nodeIdentifier       bank, set from quarkus.transaction-manager.node-name",
                        root.resolve("tx").toString())
                .doesNotContain("no role of Narayana", "not set", "no class reads");
    }

    @Test
    void anotherStoreInNarayanasSettingsIsShownThereToo() {
        assertThat(ToolRun.of("doctor", "--framework=quarkus", LOG.replace(OUR_CLASS, "some.Other"), root.resolve("tx"))
                        .out())
                .contains("action store         some.Other", "the action store stays with some.Other");
    }

    @Test
    void narayanasClassesThatTheToolKnowsAreNarayanas() {
        assertThat(StoreClasses.KNOWN)
                .allSatisfy(name -> assertThat(Class.forName(name)).isAssignableTo(ObjectStoreAPI.class));
    }
}
