package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.StoreClosedException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OperationGateTest {
    private final OperationGate gate = new OperationGate(Path.of("/some/store"));

    @Test
    void nobodyEntersAfterClosing() {
        gate.enter();
        gate.leave();
        assertThat(gate.close()).isTrue();

        assertThatThrownBy(gate::enter).isInstanceOf(StoreClosedException.class).hasMessageContaining("/some/store");
        assertThatThrownBy(gate::checkOpen).isInstanceOf(StoreClosedException.class);
        assertThat(gate.close()).isFalse();
    }

    @Test
    void closingWaitsForTheLastToLeaveHoweverOftenItIsInterrupted() throws Exception {
        gate.enter();
        gate.enter();
        CompletableFuture<Boolean> interruptedAfterClosing = new CompletableFuture<>();
        Thread closer = new Thread(() -> {
            gate.close();
            interruptedAfterClosing.complete(Thread.currentThread().isInterrupted());
        });
        closer.start();
        while (isOpen()) {
            Thread.onSpinWait();
        }
        closer.interrupt();
        gate.leave();
        assertThat(gate.close()).isFalse();
        assertThat(interruptedAfterClosing).isNotDone();

        gate.leave();

        assertThat(interruptedAfterClosing.get(10, TimeUnit.SECONDS)).isTrue();
    }

    private boolean isOpen() {
        try {
            gate.checkOpen();
            return true;
        } catch (StoreClosedException closed) {
            return false;
        }
    }
}
