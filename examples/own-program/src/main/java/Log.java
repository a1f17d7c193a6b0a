import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.OnLostLog;
import io.tallystick.store.StoreOption.OnUnknownOutcome;
import java.nio.file.Path;

/** Opens the log of a program. */
class Log {
    static ObjectStore open(String directory) {
        return ObjectStores.open(StoreConfiguration.builder()
                .withEnvironment() // whoever runs the program may choose another store
                .directory(Path.of(directory))
                // When nobody can know whether a record is on disk, the process ends; the next one reads the answer.
                .set(StoreOption.ON_UNKNOWN_OUTCOME, OnUnknownOutcome.HALT)
                .set(StoreOption.ON_LOST_LOG, OnLostLog.HALT)
                .build());
    }

    /** The place where a power cut hurts most, if the program was called with this word. */
    static void crashIf(String[] words, String when) {
        if (words.length > 0 && words[0].equals(when)) {
            System.out.println("crash " + when);
            Runtime.getRuntime().halt(1);
        }
    }
}
