package io.tallystick.store.journal.artemis;

import static io.tallystick.store.journal.artemis.ArtemisFixture.DIRECTORY;
import static io.tallystick.store.journal.artemis.ArtemisFixture.image;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.journal.artemis.room.Shortfall;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.artemis.utils.ExecutorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The answers of the housekeeper to callers, and what it takes for a failure of the store. */
@Timeout(120)
class HousekeeperTest {
    private final RecordingRewriter store = new RecordingRewriter();
    private final IOException trouble = new IOException("thrown by the test");
    private ArtemisFixture fixture;
    private Housekeeper housekeeper;

    @BeforeEach
    void load() throws IOException {
        fixture = new ArtemisFixture().load();
        housekeeper = fixture.housekeeper();
    }

    @AfterEach
    void close() throws IOException {
        fixture.close();
    }

    /** The task runs as the one by which the journal makes a file. */
    private void whileAFileIsMade(Runnable task) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        housekeeper.executors().getExecutor().execute(task);
        housekeeper.thread().execute(() -> done.complete(null));
        done.get(60, TimeUnit.SECONDS);
    }

    @Test
    void anErrorOfAFileThatItMakesIsNoFailureOfTheStore() throws Exception {
        whileAFileIsMade(() -> housekeeper.heard(trouble, "a file", "tallystick-9.jnl"));

        assertThat(housekeeper.isStopped()).isFalse();
    }

    @Test
    void anErrorOfAnotherThreadFailsTheStoreEvenWhileAFileIsMade() throws Exception {
        whileAFileIsMade(() -> {
            Thread writer = new Thread(() -> housekeeper.heard(trouble, "a batch", "tallystick-1.jnl"));
            writer.start();
            try {
                writer.join();
            } catch (InterruptedException impossible) {
                throw new AssertionError(impossible);
            }
        });

        assertThat(housekeeper.isStopped()).isTrue();
    }

    @Test
    void anErrorOutsideOfTheMakingOfAFileFailsTheStore() throws IOException {
        housekeeper.start(store);
        housekeeper.thread().call(() -> {
            housekeeper.heard(trouble, "a header", "tallystick-1.jnl");
            return null;
        });

        assertThat(housekeeper.isStopped()).isTrue();
        assertThat(store.failures).containsExactly(trouble);
    }

    @Test
    void filesAreMadeOnItsThreadAndRecordsAreAppendedOnTheCallers() throws Exception {
        ExecutorFactory executors = housekeeper.executors();
        CompletableFuture<Thread> forFiles = new CompletableFuture<>();
        CompletableFuture<Thread> forReclaiming = new CompletableFuture<>();
        CompletableFuture<Thread> forAppends = new CompletableFuture<>();

        executors.getExecutor().execute(() -> forFiles.complete(Thread.currentThread()));
        executors.getExecutor().execute(() -> forReclaiming.complete(Thread.currentThread()));
        executors.getExecutor().execute(() -> forAppends.complete(Thread.currentThread()));

        assertThat(forFiles.get(60, TimeUnit.SECONDS)).isSameAs(housekeeper.thread());
        assertThat(forReclaiming.get(60, TimeUnit.SECONDS)).isSameAs(housekeeper.thread());
        assertThat(forAppends.getNow(null)).isSameAs(Thread.currentThread());
    }

    @Test
    void aRequestForRoomIsAnsweredWhenThereIsRoom() {
        long wanted = fixture.parts.room().free() + 1;

        assertThat(housekeeper.requestRoom(wanted, false).isNone()).isTrue();
        assertThat(fixture.parts.room().free()).isGreaterThanOrEqualTo(wanted);
    }

    @Test
    void aRequestForRoomOnAFullDiskIsAnsweredToo() {
        fixture.simulated.setCapacity(1);

        assertThat(housekeeper.requestRoom(fixture.parts.room().free() + 1, true))
                .isInstanceOf(Shortfall.OfRoom.class);
    }

    @Test
    void nothingIsMadeForAStoreThatHasFailed() {
        housekeeper.start(store);
        store.failed = true;
        long free = fixture.parts.room().free();

        assertThat(housekeeper.requestRoom(free + 1, false))
                .isEqualTo(Shortfall.ofRoom("the store has failed, or its place is lost"));
        assertThat(fixture.parts.room().free()).isEqualTo(free);
    }

    @Test
    void aClosedJournalAnswersAtOnce() {
        housekeeper.close();

        assertThat(housekeeper.isStopped()).isTrue();
        assertThat(housekeeper.requestRoom(1, false)).isEqualTo(Shortfall.ofRoom("the journal is closed"));
    }

    @Test
    void aWriterGetsSpareFilesUntilTheDiskHasNone() throws IOException {
        BatchWriter writer = new BatchWriter(fixture.recovered().journal(), fixture.parts, housekeeper);
        writer.write(fixture.batch(fixture.recovered().active(), 1, ArtemisFormat.DATA_OFFSET, image(1, 100)));
        int spares = fixture.parts.files().spares();
        fixture.simulated.setCapacity(1);
        for (int i = 0; i < spares; i++) {
            writer.write(fixture.batchThatBegins(new DataFile(), 2 + i, Map.of(), image(2 + i, 100)));
        }

        assertThatThrownBy(housekeeper::awaitSpare)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("directory=" + DIRECTORY)
                .hasMessageContaining("has no next file");
    }

    @Test
    void theClaimOnTheNextFileEndsWithItsFirstBatch() {
        fixture.parts.room().nextFile().tryClaim();

        housekeeper.firstBatchIsDurable();

        assertThat(fixture.parts.room().nextFile().tryClaim()).isTrue();
    }
}
