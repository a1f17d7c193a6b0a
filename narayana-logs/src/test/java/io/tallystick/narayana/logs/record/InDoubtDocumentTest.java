package io.tallystick.narayana.logs.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The names of the model, which is the same for tool, management client, endpoints and cards: each of them shows {@code
 * details()}, and has a test that it leaves none of the names out. Here is the other half: a component that is added to
 * the model gets a name, and a name stands in docs/in-doubt.md.
 */
class InDoubtDocumentTest {
    private static final Pattern NAME = Pattern.compile("`([a-zA-Z]+)`");
    private static final String PARTICIPANTS = "participants";

    /** A component that is no value of its own, but has further ones. */
    private static final List<String> NESTED = List.of();

    /** By the records of the model: their components, and the names under which they are shown. */
    private static final Map<Class<? extends Record>, Map<String, List<String>>> NAMES = Map.of(
            InDoubtTransaction.class,
            Map.of(
                    "logged",
                    NESTED,
                    "age",
                    List.of("ageSeconds"),
                    "isAgeOfRecord",
                    List.of("ageSince"),
                    "tries",
                    NESTED),
            LoggedTransaction.class,
            Map.of(
                    "key",
                    List.of("uid", "type"),
                    "state",
                    List.of("state"),
                    "phase",
                    List.of("phase"),
                    "decision",
                    List.of("decision"),
                    "node",
                    List.of("node"),
                    "parent",
                    List.of("parent"),
                    "created",
                    List.of("created"),
                    PARTICIPANTS,
                    List.of(PARTICIPANTS),
                    "remark",
                    List.of("remark")),
            RecoveryTries.class,
            Map.of("count", List.of("tries"), "next", List.of("nextTrySeconds")));

    private static final BranchId BRANCH = new BranchId(131077, "00", "01");

    private static final InDoubtParticipant PARTICIPANT = new InDoubtParticipant(
            "XAResourceRecord",
            Optional.of("java:/stock"),
            Optional.of("H2"),
            InDoubtParticipant.State.FAILED,
            Optional.of(BRANCH),
            Optional.of("XAER_RMERR"));

    /** A transaction of which all is known. */
    private static final InDoubtTransaction WHOLE = new InDoubtTransaction(
            new LoggedTransaction(
                    StateKey.of("/StateManager/BasicAction", ObjectId.of(new byte[28])),
                    RecordState.IN_DOUBT,
                    Optional.of("COMMITTED"),
                    Decision.COMMIT,
                    Optional.of("orders-2"),
                    Optional.of(BRANCH),
                    Optional.of(Instant.EPOCH),
                    List.of(PARTICIPANT),
                    Optional.of("cannot be read to its end")),
            Duration.ofSeconds(90),
            true,
            new RecoveryTries(2, Optional.of(Duration.ofSeconds(7))));

    @Test
    void everyComponentOfTheModelHasANameThatIsShown() {
        NAMES.forEach((type, names) -> assertThat(componentsOf(type))
                .as("each component of " + type.getSimpleName()
                        + " has a name here, in details() and in docs/in-doubt.md")
                .containsExactlyInAnyOrderElementsOf(names.keySet()));
        assertThat(WHOLE.details().keySet())
                .containsExactlyInAnyOrderElementsOf(NAMES.values().stream()
                        .flatMap(names -> names.values().stream())
                        .flatMap(Collection::stream)
                        .toList());
        assertThat(PARTICIPANT.details().keySet())
                .containsExactlyInAnyOrderElementsOf(componentsOf(InDoubtParticipant.class));
    }

    @Test
    void theDocumentHasTheNamesInTheirOrder() throws IOException {
        List<String> rows = Files.readAllLines(Path.of("../docs/in-doubt.md")).stream()
                .dropWhile(line -> !line.startsWith("| name |"))
                .takeWhile(line -> !line.isEmpty())
                .skip(2)
                .toList();

        assertThat(rows.stream().flatMap(row -> namesIn(row.split("\\|")[1])))
                .containsExactlyElementsOf(WHOLE.details().keySet());
        assertThat(rows)
                .filteredOn(row -> row.startsWith("| `" + PARTICIPANTS))
                .singleElement()
                .satisfies(row -> assertThat(namesIn(row.split("\\|")[2]))
                        .containsExactlyElementsOf(PARTICIPANT.details().keySet()));
    }

    /** Management clients get it. */
    @Test
    void aLineForPeopleHasTheNamesInTheirOrder() {
        List<String> names = new ArrayList<>(WHOLE.details().keySet());
        names.addAll(PARTICIPANT.details().keySet());

        assertThat(Pattern.compile("(?:^|[ \\[])([a-zA-Z]+)=")
                        .matcher(WHOLE.toString())
                        .results()
                        .map((MatchResult match) -> match.group(1)))
                .containsExactlyElementsOf(names);
    }

    @Test
    void anEndpointShowsEveryValueOfALook() {
        InDoubtReport report = new InDoubtReport(
                List.of(WHOLE, WHOLE),
                3,
                Optional.of(new InDoubtReport.OpenTransaction("0:1", Duration.ofSeconds(4), List.of("worker"))));

        Map<String, Object> details = InDoubtReport.details(Optional.of(report), 1);

        assertThat(details)
                .containsEntry("listed", true)
                .containsEntry("countByState", Map.of("in-doubt", 2))
                .containsEntry("unseen", 3L)
                .containsEntry("oldestSeconds", 90L)
                .containsEntry("oldestOpen", Map.of("uid", "0:1", "ageSeconds", 4L, "threads", List.of("worker")))
                .containsEntry("transactions", List.of(WHOLE.details()));
        assertThat(details.keySet())
                .as("a component of the look, and what follows from it")
                .containsAll(componentsOf(InDoubtReport.class));
        assertThat(report.listed(-1)).isEmpty();
        assertThat(report.find(WHOLE.logged().uid())).contains(WHOLE);
        assertThat(report.find("0:0")).isEmpty();
    }

    @Test
    void aLogThatCannotBeListedIsNoLogWithoutDoubt() {
        assertThat(InDoubtReport.details(Optional.empty(), 1)).containsEntry("listed", false);
    }

    private static List<String> componentsOf(Class<? extends Record> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getName)
                .toList();
    }

    private static Stream<String> namesIn(String cell) {
        return NAME.matcher(cell).results().map((MatchResult match) -> match.group(1));
    }
}
