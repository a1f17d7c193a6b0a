package io.tallystick.narayana.night;

import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import io.tallystick.narayana.NarayanaStores;
import io.tallystick.store.StoreConfiguration;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import javax.transaction.xa.XAException;

/**
 * An application without a framework, which has a night and then obeys its standard input: {@code look}, {@code
 * imported}, {@code forget UID}. It ends in order with {@value #END}.
 */
public final class NightProcess {
    /** Before a line of {@link Night#fall}. */
    public static final String LEFT = "left ";

    /** Before the answer of a command. */
    public static final String ANSWER = "answer ";

    /** The last line. */
    public static final String END = "end";

    private NightProcess() {}

    /** @param arguments the directory of the resources */
    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        try (NarayanaStores stores = NarayanaStores.install(StoreConfiguration.fromEnvironment())) {
            RecoveryManager manager = RecoveryManager.manager(RecoveryManager.INDIRECT_MANAGEMENT);
            manager.initialize();
            Night.fall(directory).forEach(line -> System.out.println(LEFT + line));
            System.out.println(ANSWER + "ready");
            BufferedReader words = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = words.readLine(); line != null && !line.equals(END); line = words.readLine()) {
                System.out.println(ANSWER + obey(stores, directory, line.split(" ")));
            }
            manager.terminate(true);
        }
        System.exit(0);
    }

    private static String obey(NarayanaStores stores, Path directory, String... words) {
        try {
            switch (words[0]) {
                case "look":
                    return stores.inDoubt().lookNow().orElseThrow().listed(100).toString();
                case "imported":
                    Night.commitImported(directory);
                    return "committed";
                default:
                    return stores.settling().orElseThrow().forget(words[1], true, "T-4711", "Jane Doe");
            }
        } catch (IllegalStateException refused) {
            return "refused: " + refused.getMessage();
        } catch (XAException | IOException failed) {
            return "failed: " + failed;
        }
    }
}
