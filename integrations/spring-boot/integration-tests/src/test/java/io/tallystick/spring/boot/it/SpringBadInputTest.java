package io.tallystick.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application that cannot log its transactions does not start, and says what to do. */
class SpringBadInputTest {
    private static final String NO_SERVER = "--spring.main.web-application-type=none";
    private static final String LOAD = "--bank.threads=1";

    @TempDir
    Path directory;

    @Test
    void aDirectoryThatCannotBeUsedStopsTheStart() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "no directory");

        assertRefused("--tallystick.directory=" + file.resolve("store"))
                .contains(
                        "TALLY0010",
                        file.toString(),
                        "Mount the volume, make the directory writable",
                        "narayana.log-dir",
                        "tallystick.store=inmemory");
    }

    @Test
    void aDirectoryThatCannotBeUsedStopsTheStartWhereBeansAreMadeLazily() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "no directory");
        Path applications = Files.createDirectory(directory.resolve("application"));
        try (BankProcess bank = BankProcess.start(
                applications, "--spring.main.lazy-initialization=true", "--tallystick.directory=" + file)) {
            assertThat(bank.awaitEnd()).isEqualTo(1);
            assertThat(bank.output()).contains("APPLICATION FAILED TO START", "TALLY0010");
        }
    }

    @Test
    void anUnknownPropertyStopsTheStartNamingTheNearest() throws Exception {
        assertRefused("--tallystick.journal.segment=8", "-Dtallystick.drain.onshutdown=true", "-Dtallystick.storr=file")
                .contains(
                        "TALLY0702",
                        "unknown property 'tallystick.journal.segment' in commandLineArgs; did you mean"
                                + " 'tallystick.journal.segments'?",
                        "unknown property 'tallystick.storr' in systemProperties; did you mean 'tallystick.store'?")
                .doesNotContain("onshutdown");
    }

    @Test
    void aBadValueStopsTheStart() throws Exception {
        assertRefused("--tallystick.journal.segment-size=1KiB")
                .contains(
                        "TALLY0702",
                        "tallystick.journal.segment-size='1KiB' is not valid: not between 64KiB and 2047MiB");
    }

    @Test
    void twoStoresStopTheStart() throws Exception {
        assertRefused("-DObjectStoreEnvironmentBean.objectStoreType="
                        + "com.arjuna.ats.internal.arjuna.objectstore.hornetq.HornetqObjectStoreAdaptor")
                .contains(
                        "TALLY0704",
                        "HornetqObjectStoreAdaptor as ObjectStoreEnvironmentBean.objectStoreType",
                        "tallystick.enabled=false");
    }

    @Test
    void aStoreThatIsNotOnTheClassPathStopsTheStart() throws Exception {
        assertRefused("--tallystick.store=file").contains("add the artifact tallystick-store-file");
        try (BankProcess bank = BankProcess.start(directory, entry -> !isJournal(entry), NO_SERVER)) {
            assertThat(bank.awaitEnd()).isEqualTo(1);
            assertThat(bank.output())
                    .contains("APPLICATION FAILED TO START", "TALLY0702", "add the artifact tallystick-store-journal");
        }
    }

    @Test
    void theDirectoryOfAnotherNodeStopsTheStart() throws Exception {
        try (BankProcess first = BankProcess.start(directory, NO_SERVER, "--narayana.node-identifier=pod-0")) {
            first.awaitReady();
        }
        assertRefused("--narayana.node-identifier=pod-1")
                .contains("TALLY0013", "belongs to node=pod-0", "mount the volume");
    }

    @Test
    void aSecondApplicationOnTheDirectoryDoesNotStart() throws Exception {
        Path other = Files.createDirectory(directory.resolve("other"));
        try (BankProcess first = BankProcess.start(other, "--tallystick.directory=" + directory.resolve("store"))) {
            first.awaitReady();
            assertRefused("--tallystick.directory=" + directory.resolve("store"))
                    .contains(
                            "TALLY0015",
                            "End the process that has the directory",
                            "src/test/resources/config/application.properties",
                            "tallystick.directory=target/tallystick-test",
                            "tallystick.journal.segment-size=4MiB");
        }
    }

    @Test
    void anOldLogWithTransactionsInItStopsTheStart() throws Exception {
        try (BankProcess narayanas =
                BankProcess.start(directory, NO_SERVER, "--tallystick.enabled=false", "-Dbank.stop-at=1", LOAD)) {
            narayanas.await(CommitGate.AT_THE_GATE);
        }
        assertThat(directory.resolve("log/ShadowNoFileLockStore")).isDirectory();

        assertRefused()
                .contains(
                        "tallystick migrate",
                        "tallystick.on-old-log",
                        "tallystick.name-resources=false",
                        "tallystick.enabled=false",
                        directory.resolve("log").toString());

        try (BankProcess warned = BankProcess.start(directory, NO_SERVER, "--tallystick.on-old-log=warn")) {
            warned.awaitReady();
            assertThat(warned.output()).contains("tallystick migrate");
        }
    }

    @Test
    void aDefaultNodeIdentifierOnAStoreThatIsNotNewIsWarnedOf() throws Exception {
        try (BankProcess first = BankProcess.start(directory, NO_SERVER).awaitReady()) {
            assertThat(first.output()).doesNotContain("TALLY0419");
        }
        try (BankProcess second = BankProcess.start(directory, NO_SERVER).awaitReady()) {
            assertThat(second.output()).contains("TALLY0419", "narayana.node-identifier");
        }
    }

    @Test
    void aStarterThatIsSwitchedOffWarnsOfTransactionsThatAreLeftInItsStore() throws Exception {
        try (BankProcess killed = BankProcess.start(directory, NO_SERVER, "-Dbank.stop-at=1", LOAD)) {
            killed.await(CommitGate.AT_THE_GATE);
        }

        try (BankProcess back = BankProcess.start(directory, NO_SERVER, "--tallystick.enabled=false")) {
            back.awaitReady();
            assertThat(back.output())
                    .containsPattern("WARN.*TALLY0710.* 1 transaction lies in directory="
                            + directory.resolve("log/TallystickObjectStore"))
                    .contains("docs/migration.md, going back")
                    .doesNotContain("TALLY0001");
        }
    }

    @Test
    void aStarterThatIsSwitchedOffOpensNothingAndDoesNotWarnWhereNoTransactionIsLeft() throws Exception {
        Path store = directory.resolve("log/TallystickObjectStore");
        assertThatNothingIsSaidWhileSwitchedOff();
        assertThat(store).doesNotExist();

        try (BankProcess used = BankProcess.start(directory, NO_SERVER)) {
            used.awaitReady();
        }
        assertThat(store).isDirectory();
        assertThatNothingIsSaidWhileSwitchedOff();
    }

    private void assertThatNothingIsSaidWhileSwitchedOff() {
        try (BankProcess bank = BankProcess.start(directory, NO_SERVER, "--tallystick.enabled=false")) {
            bank.awaitReady();
            assertThat(bank.output()).doesNotContain("TALLY0001", "TALLY0710");
        }
    }

    private AbstractStringAssert<?> assertRefused(String... settings) {
        String[] all = new String[settings.length + 1];
        all[0] = NO_SERVER;
        System.arraycopy(settings, 0, all, 1, settings.length);
        try (BankProcess bank = BankProcess.start(directory, all)) {
            assertThat(bank.awaitEnd()).as(bank.output()).isEqualTo(1);
            assertToldOnce(bank.output());
            return assertThat(bank.output()).contains("APPLICATION FAILED TO START", "Description:", "Action:");
        }
    }

    /** The failure analysis has the reason, and a person who reads the output finds it nowhere else. */
    private static void assertToldOnce(String output) {
        String reason = output.substring(output.indexOf("Description:") + 12, output.indexOf("Action:"))
                .strip();
        assertThat(reason).startsWith("TALLY0");
        String withoutNumber = reason.substring(reason.indexOf(' ')).strip();
        assertThat(output.split(Pattern.quote(withoutNumber), -1)).as(output).hasSize(2);
        assertThat(output).doesNotContain("TALLY0415");
    }

    private static boolean isJournal(String entry) {
        return entry.contains("store-journal");
    }
}
