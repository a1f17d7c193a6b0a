package io.tallystick.durability.subject;

import io.tallystick.durability.system.LogLevels;
import io.tallystick.durability.system.SteppingClock;
import io.tallystick.storage.NanoClock;
import io.tallystick.testkit.process.StoreServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A subject in a process of its own, as {@link SubjectProcess}, in which further threads compute without end. The clock
 * of a store of ours steps: the main class {@code SoakProcess NAME DIRECTORY SEED BURNERS}.
 */
public final class SoakProcess {
    private SoakProcess() {}

    public static void main(String[] arguments) throws IOException {
        LogLevels.silence();
        Subject subject = SubjectCatalog.named(List.of(arguments[0])).get(0);
        Path directory = Path.of(arguments[1]);
        NanoClock clock = new SteppingClock(NanoClock.SYSTEM, Long.parseLong(arguments[2]));
        for (int i = 0; i < Integer.parseInt(arguments[3]); i++) {
            Thread burner = new Thread(SoakProcess::burn, "burner-" + i);
            burner.setDaemon(true);
            burner.start();
        }
        StoreServer.serve(
                () -> subject instanceof OurSubject ours ? ours.open(directory, clock) : subject.open(directory));
        // The threads of a store that hangs must not keep the process.
        Runtime.getRuntime().halt(0);
    }

    /** The command that starts the subject in that directory. */
    public static ProcessBuilder command(Subject subject, Path directory, long seed, int burners) {
        return SubjectProcess.command(
                SoakProcess.class,
                Map.of(),
                List.of(subject.name(), directory.toString(), String.valueOf(seed), String.valueOf(burners)));
    }

    private static void burn() {
        long number = 1;
        while (number != 0) {
            number = number * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L | 1;
        }
    }
}
