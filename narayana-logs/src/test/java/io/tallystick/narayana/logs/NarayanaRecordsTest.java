package io.tallystick.narayana.logs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each type of record asks of a process. */
class NarayanaRecordsTest {
    @ParameterizedTest
    @CsvSource({
        // type, work, given up, repeatable
        "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction, true, false, true",
        "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction/SubordinateAtomicAction/JCA, true, false, true",
        "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction/Mine, true, false, false",
        "/StateManager/BasicAction/TwoPhaseCoordinator/ArjunaTransactionImple/ServerTransaction, true, false, true",
        "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction/Expired, false, true, true",
        "/StateManager/BasicAction/LongRunningAction, true, false, false",
        "/StateManager/BasicAction/LongRunningAction/Failed, false, true, true",
        "/StateManager/AbstractRecord/ConnectableResourceRecord, true, false, true",
        "/CosTransactions/XAResourceRecord, true, false, true",
        "/Resources/Arjuna/OTS, true, false, true",
        "/XTS/WSAT/Participant, true, false, false",
        "/REST-AT/participant, true, false, false",
        "/StateManager/BasicActions, false, false, true",
        "/Recovery/TransactionStatusManager, false, false, true",
        "/EISNAME, false, false, true"
    })
    void aTypeHasOneMeaning(String type, boolean isWork, boolean isGivenUp, boolean isRepeatable) {
        assertThat(NarayanaRecords.isWork(type)).as("work").isEqualTo(isWork);
        assertThat(NarayanaRecords.isGivenUp(type)).as("given up").isEqualTo(isGivenUp);
        assertThat(NarayanaRecords.isRepeatable(type)).as("repeatable").isEqualTo(isRepeatable);
    }

    @Test
    void eachRootIsNamedOnce() {
        assertThat(NarayanaRecords.roots())
                .containsExactly("StateManager", "CosTransactions", "Resources", "XTS", "REST-AT");
    }
}
