import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import java.util.List;
import java.util.UUID;

/**
 * A saga: three steps, each at a service of its own. If one is refused, those before it are undone. The record says how
 * far it has come, before each step, because after a crash nobody knows whether the step was taken: steps and their
 * undoing may be called twice.
 */
public class Saga {
    static final String PROGRESS = "/Saga/Progress";
    static final List<String> STEPS = List.of("flight", "hotel", "car");

    /** The record: the step that may have been taken, and whether the way is back. */
    record Progress(int step, boolean isBack) {
        byte[] toBytes() {
            return new byte[] {(byte) step, (byte) (isBack ? 1 : 0)};
        }

        static Progress of(byte[] bytes) {
            return new Progress(bytes[0], bytes[1] == 1);
        }
    }

    public static void main(String[] words) {
        try (ObjectStore log = Log.open("saga.log")) {
            for (StateKey left : log.keys(PROGRESS)) {
                log.read(left).map(Progress::of).ifPresent(progress -> goOn(log, left, progress, words));
            }
            if (words.length > 1 || words.length > 0 && !words[0].equals("recover")) {
                goOn(log, StateKey.of(PROGRESS, ObjectId.of(UUID.randomUUID())), new Progress(0, false), words);
            }
        }
    }

    static void goOn(ObjectStore log, StateKey saga, Progress from, String[] words) {
        Progress at = from;
        while (!at.isBack() && at.step() < STEPS.size()) {
            log.write(saga, at.toBytes(), Durability.FORCED);
            String step = STEPS.get(at.step());
            System.out.println("book " + step);
            Log.crashIf(words, "after-" + step);
            boolean isRefused = words.length > 1 && words[1].equals("no-" + step);
            at = isRefused ? new Progress(at.step(), true) : new Progress(at.step() + 1, false);
        }
        while (at.isBack() && at.step() >= 0) {
            log.write(saga, at.toBytes(), Durability.FORCED);
            System.out.println("cancel " + STEPS.get(at.step()));
            at = new Progress(at.step() - 1, true);
        }
        log.remove(saga, Durability.DEFERRED);
        System.out.println(at.isBack() ? "saga undone" : "saga done");
    }
}
