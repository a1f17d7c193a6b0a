package io.tallystick.narayana.logs;

import static io.tallystick.narayana.logs.NarayanaValues.COMMITTED;
import static io.tallystick.narayana.logs.NarayanaValues.HIDDEN;
import static io.tallystick.narayana.logs.NarayanaValues.UNCOMMITTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The up to four values that Narayana has of a name become one state of ours, or a damage, and never a guess. */
class NarayanaValuesTest {
    private static final ObjectId ID = ObjectId.of(new byte[] {1});

    private final Findings findings = new Findings();
    private final NarayanaValues values = new NarayanaValues("/A/B", Optional.of(ID), "place");

    private void put(int... statuses) {
        for (int status : statuses) {
            values.put(status, new byte[] {(byte) status});
        }
    }

    private StateStatus status() {
        return values.toState(findings).orElseThrow().image().status();
    }

    @Test
    void oneValueIsTheStateThatItsStatusSays() {
        put(COMMITTED);
        assertThat(status()).isEqualTo(StateStatus.COMMITTED);
    }

    @Test
    void aHiddenValueStaysHidden() {
        put(COMMITTED | HIDDEN);
        assertThat(status()).isEqualTo(StateStatus.COMMITTED_HIDDEN);
    }

    @Test
    void aShadowBesideACommittedValueIsKeptBesideIt() {
        put(COMMITTED, UNCOMMITTED);
        assertThat(values.toState(findings).orElseThrow().image()).satisfies(image -> {
            assertThat(image.status()).isEqualTo(StateStatus.SHADOW);
            assertThat(image.committed()).containsExactly(COMMITTED);
            assertThat(image.shadow()).containsExactly(UNCOMMITTED);
        });
        assertThat(findings.damages()).isEmpty();
    }

    @Test
    void aHiddenShadowHidesTheState() {
        put(COMMITTED, UNCOMMITTED | HIDDEN);
        assertThat(status()).isEqualTo(StateStatus.SHADOW_HIDDEN);
    }

    @Test
    void aHiddenCommittedValueBesideOneThatIsNotIsLeftOutWithARemark() {
        put(COMMITTED, COMMITTED | HIDDEN);
        assertThat(values.toState(findings).orElseThrow().image().committed()).containsExactly(COMMITTED);
        assertThat(findings.remarks()).hasSize(1);
    }

    @Test
    void whatIsHiddenInPartsIsDamage() {
        put(UNCOMMITTED, UNCOMMITTED | HIDDEN);
        assertThat(values.toState(findings)).isEmpty();
        assertThat(findings.damages()).hasSize(1);
    }

    @Test
    void aShadowOfAHiddenCommittedValueIsDamage() {
        put(UNCOMMITTED, COMMITTED | HIDDEN);
        assertThat(values.toState(findings)).isEmpty();
        assertThat(findings.damages()).hasSize(1);
    }

    @Test
    void aTypeHasOneSlashBeforeEachElement() {
        NarayanaValues other = new NarayanaValues("A//B/", Optional.of(ID), "place");
        other.put(COMMITTED, new byte[] {1});
        assertThat(other.toState(findings).orElseThrow().key()).isEqualTo(StateKey.of("/A/B", ID));
    }

    @Test
    void withoutAUidOrATypeThereIsNoState() {
        for (NarayanaValues other : new NarayanaValues[] {
            new NarayanaValues("/A", Optional.empty(), "no Uid"), new NarayanaValues(null, Optional.of(ID), "no type")
        }) {
            other.put(COMMITTED, new byte[] {1});
            assertThat(other.toState(findings)).isEmpty();
        }
        assertThat(findings.damages()).extracting(Findings.Finding::place).containsExactly("no Uid", "no type");
    }

    @Test
    void onlyWhatWasPutIsThere() {
        assertThat(values.isEmpty()).isTrue();
        put(UNCOMMITTED);
        assertThat(values.isEmpty()).isFalse();
        assertThat(values.has(UNCOMMITTED)).isTrue();
        assertThat(values.has(COMMITTED)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {COMMITTED, UNCOMMITTED, COMMITTED | HIDDEN, UNCOMMITTED | HIDDEN})
    void narayanasStatusesAreKnown(int status) {
        assertThat(NarayanaValues.isStatus(status)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, HIDDEN, COMMITTED | UNCOMMITTED, 7, 8, 9, -1, Integer.MIN_VALUE | COMMITTED})
    void otherNumbersAreNoStatus(int status) {
        assertThat(NarayanaValues.isStatus(status)).isFalse();
    }
}
