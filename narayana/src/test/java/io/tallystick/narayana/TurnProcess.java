package io.tallystick.narayana;

import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import io.tallystick.narayana.drain.RecoveryTurn;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** A process in which something waits for a turn of recovery, first of a suspended one. */
final class TurnProcess {
    private TurnProcess() {}

    public static void main(String[] arguments) {
        RecoveryManager manager = RecoveryManager.manager(RecoveryManager.DIRECT_MANAGEMENT);
        manager.initialize();
        RecoveryTurn turn = new RecoveryTurn();
        AtomicInteger runs = new AtomicInteger();
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
        System.out.println("runs: " + runs);
        System.exit(0);
    }
}
