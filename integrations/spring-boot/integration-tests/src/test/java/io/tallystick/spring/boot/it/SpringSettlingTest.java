package io.tallystick.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transactions in doubt are settled through an endpoint, where the application has switched it on. */
class SpringSettlingTest {
    private static final String EXPOSED = "--management.endpoints.web.exposure.include=tallystickSettle";
    private static final String SETTLE = "/actuator/tallystickSettle";
    private static final String PERSON = "\"reason\":\"T-4711\",\"who\":\"Jane Doe\"";

    @TempDir
    Path directory;

    @Test
    void thereIsNoSuchEndpointByDefault() {
        try (BankProcess process = BankProcess.start(directory, EXPOSED).awaitReady()) {
            assertThat(process.get(SETTLE + "/0:1:2:3:4").statusCode()).isEqualTo(404);
            assertThat(process.post(SETTLE, "{" + PERSON + "}").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void whereItIsOnAPersonRetriesAndIsToldWhyNothingIsForgotten() throws Exception {
        try (BankProcess process = BankProcess.start(directory, EXPOSED, "--tallystick.indoubt.settle=true")
                .awaitReady()) {
            HttpResponse<String> described = process.get(SETTLE + "/0:1:2:3:4");
            assertThat(described.statusCode()).isEqualTo(409);
            assertThat(described.body()).contains("the log has no record uid=0:1:2:3:4");

            HttpResponse<String> retried = process.post(SETTLE, "{" + PERSON + "}");
            assertThat(retried.body()).contains("scan=", "ended=0[]", "left={}");
            assertThat(retried.statusCode()).isEqualTo(200);

            HttpResponse<String> forgotten =
                    process.post(SETTLE + "/0:1:2:3:4", "{\"branchesEnded\":true," + PERSON + "}");
            assertThat(forgotten.body()).contains("the log has no record uid=0:1:2:3:4");
            assertThat(forgotten.statusCode()).isEqualTo(409);

            assertThat(process.post(SETTLE, "{\"who\":\"Jane Doe\"}").statusCode())
                    .isEqualTo(400);
            assertThat(process.post(SETTLE, "{\"reason\":\" \",\"who\":\"Jane Doe\"}")
                            .statusCode())
                    .isEqualTo(400);
            assertThat(process.output()).contains("TALLY0430 Jane Doe has settled by hand: retried");
        }
        assertThat(Files.readString(directory.resolve("log/TallystickObjectStore/tallystick.quarantine/settled.log")))
                .contains(" user=Jane Doe action=retry reason=T-4711");
    }
}
