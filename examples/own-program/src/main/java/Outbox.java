import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * An outbox: a message that was accepted is sent, at least once. Who receives it knows a second copy by its id. With
 * many threads, many messages share a sync of the disk.
 */
public class Outbox {
    static final String MESSAGE = "/Outbox/Message";

    public static void main(String[] words) {
        try (ObjectStore log = Log.open("outbox.log")) {
            for (StateKey left : log.keys(MESSAGE)) {
                log.read(left).ifPresent(text -> send(log, left, text));
            }
            StateKey message = StateKey.of(MESSAGE, ObjectId.of(UUID.randomUUID()));
            byte[] text = "order 7 was paid".getBytes(StandardCharsets.UTF_8);
            log.write(message, text, Durability.FORCED); // from here on the caller may be told: accepted
            System.out.println("accepted");
            Log.crashIf(words, "before-sending");
            send(log, message, text);
        }
    }

    static void send(ObjectStore log, StateKey message, byte[] text) {
        System.out.println("sent: " + new String(text, StandardCharsets.UTF_8));
        log.remove(message, Durability.DEFERRED); // if a crash takes this back, it is sent once more
    }
}
