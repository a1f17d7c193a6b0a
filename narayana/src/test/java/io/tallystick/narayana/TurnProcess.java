package io.tallystick.narayana;

import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.arjuna.recovery.RecoveryModule;
import io.tallystick.narayana.drain.RecoveryTurn;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A process in which something waits for a turn of recovery, first of one that hangs. */
final class TurnProcess {
    private TurnProcess() {}

    public static void main(String[] arguments) {
        RecoveryManager manager = RecoveryManager.manager(RecoveryManager.DIRECT_MANAGEMENT);
        manager.initialize();
        RecoveryTurn turn = new RecoveryTurn();
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch answer = new CountDownLatch(1);
        manager.addModule(new Hanging(answer));
        System.out.println("hanging: " + turn.run(runs::incrementAndGet, Duration.ofSeconds(2)));
        answer.countDown(); // the scan goes on, and knows the module that was given up
        manager.scan();
        manager.suspend(true);
        System.out.println("suspended: " + turn.run(runs::incrementAndGet, Duration.ofSeconds(1)));
        manager.resume();
        System.out.println("resumed: " + turn.run(runs::incrementAndGet, Duration.ofSeconds(60)));
        try {
            turn.run(
                    () -> {
                        throw new IllegalStateException("of the action");
                    },
                    Duration.ofSeconds(60));
        } catch (IllegalStateException thrown) {
            System.out.println("thrown: " + thrown.getMessage());
        }
        try {
            turn.run(
                    () -> {
                        throw new OutOfMemoryError("of the action, as an example");
                    },
                    Duration.ofSeconds(60));
        } catch (OutOfMemoryError thrown) {
            System.out.println("error: " + thrown.getMessage());
        }
        System.out.println("after an error: " + turn.run(runs::incrementAndGet, Duration.ofSeconds(60)));
        Thread.currentThread().interrupt();
        System.out.println("interrupted: " + turn.run(runs::incrementAndGet, Duration.ofSeconds(60)));
        Thread.interrupted();
        System.out.println("terminated: " + turn.run(() -> manager.terminate(true), Duration.ofSeconds(60)));
        System.out.println("runs: " + runs);
        System.exit(0);
    }

    /** A module that waits for a resource. */
    private record Hanging(CountDownLatch answer) implements RecoveryModule {
        @Override
        public void periodicWorkFirstPass() {
            try {
                answer.await();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        }

        @Override
        public void periodicWorkSecondPass() {}
    }
}
