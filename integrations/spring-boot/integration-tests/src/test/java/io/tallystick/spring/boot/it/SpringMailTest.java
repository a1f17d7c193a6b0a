package io.tallystick.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The application is killed between the commits of a database and of brokers, and started again. */
class SpringMailTest {
    private static final int KILLED_AT = 20;
    // The bean that Spring Boot makes of spring-boot-starter-artemis.
    private static final String FACTORY = "jmsConnectionFactory";

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aMessageIsSentWhenTheProcessIsKilledAfterTheCommitOfTheDatabase(boolean isPooled) {
        String sequence = Mail.DATABASE + "," + FACTORY;
        killAt("-Dbank.stop-after=" + KILLED_AT, sequence, isPooled);

        try (BankProcess next = start(sequence, isPooled).awaitReady()) {
            awaitState(next, "{\"embeddedActiveMq\":20,\"rows\":20}");
            awaitNoneInDoubt(next);
        }
    }

    // Without a name recovery could not tell that the broker has committed, and the record would stay.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRowIsWrittenAndTheRecordGoesWhenTheProcessIsKilledAfterTheCommitOfTheBroker(boolean isPooled) {
        String sequence = FACTORY + "," + Mail.DATABASE;
        killAt("-Dbank.stop-at=" + KILLED_AT, sequence, isPooled);

        try (BankProcess next = start(sequence, isPooled).awaitReady()) {
            awaitState(next, "{\"embeddedActiveMq\":20,\"rows\":20}");
            awaitNoneInDoubt(next);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theRecordStaysWhileOneOfTwoBrokersCannotBeReached(boolean isPooled) {
        String sequence = "parcels," + Mail.DATABASE + ",letters";
        killAt("-Dbank.stop-at=" + KILLED_AT, sequence, isPooled, "--mail.two-brokers=true");

        try (BankProcess next = start(sequence, isPooled, "--mail.two-brokers=true", "--mail.letters-are-down=true")
                .awaitReady()) {
            awaitState(next, "{\"parcelBroker\":20,\"rows\":20}");
            int before = next.output().length();
            // Each look at the record complains of the branch that it does not find.
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> complaints(next.output().substring(before)) > 3 || !isOneInDoubt(next));
            assertThat(isOneInDoubt(next)).as(next.output()).isTrue();

            next.post("/letters-are-up");
            awaitState(next, "{\"letterBroker\":20,\"parcelBroker\":20,\"rows\":20}");
            awaitNoneInDoubt(next);
        }
    }

    private void killAt(String gate, String sequence, boolean isPooled, String... more) {
        List<String> settings = new ArrayList<>(List.of(more));
        settings.add(gate);
        settings.add("--mail.sends=true");
        try (BankProcess killed = start(sequence, isPooled, settings.toArray(String[]::new))) {
            killed.await(CommitGate.AT_THE_GATE);
            killed.kill();
        }
    }

    private BankProcess start(String sequence, boolean isPooled, String... more) {
        List<String> settings = new ArrayList<>(List.of(more));
        settings.add("--mail.sequence=" + sequence);
        settings.add("--narayana.node-identifier=mail");
        settings.add("--narayana.messaginghub.enabled=" + isPooled);
        settings.add("--spring.artemis.embedded.persistent=true");
        settings.add("--spring.artemis.embedded.data-directory=" + directory.resolve("broker"));
        return BankProcess.start(MailApplication.class, directory, entry -> true, settings.toArray(String[]::new));
    }

    private static long complaints(String output) {
        return output.lines()
                .filter(line -> line.contains("ARJUNA016037") || line.contains("ARJUNA016045"))
                .count();
    }

    private static boolean isOneInDoubt(BankProcess process) {
        return process.get("/actuator/tallystick").body().contains("\"inDoubt\":1");
    }

    private static void awaitState(BankProcess process, String state) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(
                        process.get("/state").body())
                .as(process.output())
                .isEqualTo(state));
    }

    private static void awaitNoneInDoubt(BankProcess process) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(
                        process.get("/actuator/tallystick").body())
                .as(process.output())
                .contains("\"inDoubt\":0"));
    }
}
