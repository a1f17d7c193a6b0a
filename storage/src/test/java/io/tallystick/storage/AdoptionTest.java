package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.StoreDirectory.Taker;
import io.tallystick.storage.StoreDirectoryException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A directory whose node is dead, and the process that adopts it. */
@Timeout(120)
class AdoptionTest {
    private static final String KIND = "file-v1";
    private static final String NODE = "orders-0";
    private static final Duration LONG = Duration.ofSeconds(60);

    private final Disk disk = new SystemDisk();

    @TempDir
    private Path temporary;

    private Path directory;

    @BeforeEach
    void theNodeHasLivedHere() throws IOException {
        directory = temporary.resolve("store");
        take(home(LONG)).close();
    }

    @Test
    void anAdopterThatIsAskedLeavesAndTheNodeHasItsDirectory() throws Exception {
        StoreDirectory adopter = take(adopter());
        CompletableFuture<StoreDirectory> home = start(home(LONG));
        awaitRequest();
        adopter.close();
        try (StoreDirectory taken = home.get(60, TimeUnit.SECONDS)) {
            assertThat(taken.nodeId()).contains(NODE);
            assertThat(StoreDirectory.isAskedFor(disk, directory)).isFalse();
            assertThat(directory.resolve(StoreDirectory.REQUEST_FILE)).doesNotExist();
            assertThat(StoreDirectory.owner(disk, directory)).doesNotContain("role=");
        }
    }

    @Test
    void aNodeThatWaitsInVainNamesTheAdopterAndLeavesNothingBehind() throws IOException {
        try (StoreDirectory adopter = take(adopter())) {
            assertThatThrownBy(() -> take(home(Duration.ofMillis(300))))
                    .isInstanceOfSatisfying(StoreDirectoryException.class, refused -> assertThat(refused.reason())
                            .isEqualTo(Reason.LOCKED))
                    .hasMessageContaining("adopter")
                    .hasMessageContaining("pid=" + ProcessHandle.current().pid());
            assertThat(adopter.hasLockFile()).isTrue();
            assertThat(StoreDirectory.isAskedFor(disk, directory)).isFalse();
            assertThat(directory.resolve(StoreDirectory.REQUEST_FILE)).doesNotExist();
        }
    }

    @Test
    void twoProcessesOfTheNodeWaitAndOneGetsTheDirectory() throws Exception {
        StoreDirectory adopter = take(adopter());
        CompletableFuture<StoreDirectory> first = start(home(LONG));
        CompletableFuture<StoreDirectory> second = start(home(LONG));
        awaitRequest();
        adopter.close();
        CompletableFuture.anyOf(first, second).get(60, TimeUnit.SECONDS);
        CompletableFuture<StoreDirectory> winner = first.isDone() && !first.isCompletedExceptionally() ? first : second;
        CompletableFuture<StoreDirectory> loser = winner == first ? second : first;
        assertThatThrownBy(() -> loser.get(60, TimeUnit.SECONDS)).hasMessageContaining("is in use by pid=");
        winner.join().close();
    }

    @Test
    void aFileThatAKilledProcessHasLeftIsNoRequest() throws IOException {
        Files.createFile(directory.resolve(StoreDirectory.REQUEST_FILE));
        try (StoreDirectory adopter = take(adopter())) {
            assertThat(adopter.nodeId()).contains(NODE);
            assertThat(StoreDirectory.isAskedFor(disk, directory)).isFalse();
        }
    }

    @Test
    void theNoteOfAnAdopterThatHasLeftDoesNotMakeTheNodeWait() throws IOException {
        take(adopter()).close();
        assertThat(StoreDirectory.owner(disk, directory)).contains("role=adopter");
        take(home(Duration.ZERO)).close();
    }

    @Test
    void aLivingNodeIsNeverAdoptedNorAsked() throws IOException {
        try (StoreDirectory home = take(home(LONG))) {
            assertThatThrownBy(() -> take(adopter())).hasMessageContaining("is in use by pid=");
            assertThatThrownBy(() -> take(home(LONG))).hasMessageContaining("is in use by pid=");
            assertThat(home.hasLockFile()).isTrue();
            assertThat(directory.resolve(StoreDirectory.REQUEST_FILE)).doesNotExist();
        }
    }

    @Test
    void anAdopterTakesNothingFromAnother() throws IOException {
        try (StoreDirectory first = take(adopter())) {
            assertThatThrownBy(() -> take(adopter())).hasMessageContaining("is in use by the adopter");
            assertThat(first.hasLockFile()).isTrue();
            assertThat(directory.resolve(StoreDirectory.REQUEST_FILE)).doesNotExist();
        }
    }

    @Test
    void whoeverCouldNotHaveTheStoreDoesNotAskForIt() throws IOException {
        try (StoreDirectory adopter = take(adopter())) {
            assertThatThrownBy(() -> take(new Taker(Optional.of("orders-1"), false, LONG)))
                    .hasMessageContaining("belongs to node=" + NODE);
            assertThatThrownBy(() -> take(new Taker(Optional.empty(), false, LONG)))
                    .hasMessageContaining("is in use by the adopter");
            assertThatThrownBy(() -> StoreDirectory.take(disk, directory, "journal-segmented-v1", false, home(LONG)))
                    .hasMessageContaining("holds a store of kind " + KIND);
            assertThat(adopter.hasLockFile()).isTrue();
        }
    }

    @Test
    void onlyTheNodesOwnDirectoryIsAdopted() throws IOException {
        assertThatThrownBy(() -> take(new Taker(Optional.of("orders-1"), true, LONG)))
                .hasMessageContaining("belongs to node=" + NODE);
        Path ofNoNode = temporary.resolve("none");
        StoreDirectory.take(disk, ofNoNode, KIND, false).close();
        assertThatThrownBy(() -> StoreDirectory.take(disk, ofNoNode, KIND, false, adopter()))
                .hasMessageContaining("holds no store of node=" + NODE);
        assertThat(ofNoNode.resolve(StoreDirectory.NODE_FILE)).doesNotExist();
        Path missing = temporary.resolve("missing");
        assertThatThrownBy(() -> StoreDirectory.take(disk, missing, KIND, false, adopter()))
                .hasMessageContaining("does not exist");
        assertThat(missing).doesNotExist();
        assertThatThrownBy(() -> new Taker(Optional.empty(), true, LONG)).isInstanceOf(IllegalArgumentException.class);
    }

    private StoreDirectory take(Taker taker) throws IOException {
        return StoreDirectory.take(disk, directory, KIND, false, taker);
    }

    private CompletableFuture<StoreDirectory> start(Taker taker) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return take(taker);
            } catch (IOException refused) {
                throw new IllegalStateException(refused.getMessage(), refused);
            }
        });
    }

    private void awaitRequest() throws IOException {
        while (!StoreDirectory.isAskedFor(disk, directory)) {
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }

    private static Taker home(Duration patience) {
        return new Taker(Optional.of(NODE), false, patience);
    }

    private static Taker adopter() {
        return new Taker(Optional.of(NODE), true, LONG);
    }
}
