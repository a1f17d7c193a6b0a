import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A transaction manager: a transfer changes two accounts, or none. The record of the decision is the transaction. What
 * has prepared and has no decision is undone ("presumed abort"), so nothing is written before the decision.
 */
public class Transfer {
    static final String DECISION = "/Transfer/Decision";
    static final List<Account> ACCOUNTS = List.of(new Account("alice", 100), new Account("bob", 0));

    public static void main(String[] words) throws IOException {
        try (ObjectStore log = Log.open("transfer.log")) {
            recover(log);
            StateKey decision = StateKey.of(DECISION, ObjectId.of(UUID.randomUUID()));
            ACCOUNTS.get(0).prepare(decision, -30);
            ACCOUNTS.get(1).prepare(decision, 30);
            Log.crashIf(words, "before-decision");
            log.write(decision, new byte[] {1}, Durability.FORCED); // from here on it is committed
            Log.crashIf(words, "after-decision");
            finish(log, decision);
            System.out.println("alice " + ACCOUNTS.get(0).balance() + ", bob " + ACCOUNTS.get(1).balance());
        }
    }

    /** Commits what was decided, and then forgets the rest. */
    static void recover(ObjectStore log) throws IOException {
        for (StateKey decision : log.keys(DECISION)) {
            finish(log, decision);
        }
        for (Account account : ACCOUNTS) {
            account.rollBackAll(); // no decision is left, so what is prepared was never decided
        }
    }

    static void finish(ObjectStore log, StateKey decision) throws IOException {
        for (Account account : ACCOUNTS) {
            account.commit(decision); // may come a second time, after a crash
        }
        log.remove(decision, Durability.DEFERRED); // if a crash takes this back, the commits come once more
    }

    /** An account in a file; a change that is prepared stands in a file of its own. */
    record Account(String name, int first) {
        private static final Path DIRECTORY = Path.of("accounts");

        int balance() throws IOException {
            Path file = DIRECTORY.resolve(name);
            return Files.exists(file) ? Integer.parseInt(Files.readString(file)) : first;
        }

        void prepare(StateKey decision, int change) throws IOException {
            Files.createDirectories(DIRECTORY);
            Files.writeString(prepared(decision), String.valueOf(balance() + change)); // a real one forces this
        }

        void commit(StateKey decision) throws IOException {
            if (Files.exists(prepared(decision))) {
                Files.move(prepared(decision), DIRECTORY.resolve(name), StandardCopyOption.REPLACE_EXISTING);
            }
        }

        void rollBackAll() throws IOException {
            if (Files.exists(DIRECTORY)) {
                try (Stream<Path> files = Files.list(DIRECTORY)) {
                    for (Path file : files.filter(each -> each.getFileName().toString().startsWith(name + "."))
                            .toList()) {
                        System.out.println("rolled back " + name);
                        Files.delete(file);
                    }
                }
            }
        }

        private Path prepared(StateKey decision) {
            return DIRECTORY.resolve(name + "." + decision.id());
        }
    }
}
