package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import com.eclipsesource.json.JsonObject;
import io.tallystick.store.ObjectStore;
import io.tallystick.tool.TestStores.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
                .anyMatch(line -> line.contains("the store in memory is gone"));
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
                        "nobody reads ObjectStoreEnvironmentBean.default.objectStoreType",
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
                        "nothing yet");
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
}
