package io.tallystick.narayana;

import io.tallystick.narayana.recover.Arguments;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFencedException;
import io.tallystick.store.StoreLockedException;
import java.lang.System.Logger.Level;

/**
 * A command that recovers a node which does not come back. It adopts the node's log, finishes the transactions in it
 * under the node's name, and leaves.
 *
 * <pre>java -cp '/app/lib/*' -Dtallystick.store=postgresql -Dtallystick.postgresql.url=jdbc:postgresql://db1,db2/tx \
 *     io.tallystick.narayana.RecoverNode --node orders-2 \
 *     --helper io.tallystick.narayana.DataSourceRecovery=/etc/recover/accounts.properties</pre>
 *
 * <p>The store is configured as in the node: by system properties, the environment, or a file. Each resource of the
 * node needs a {@code --helper CLASS[=TEXT]}: a Narayana {@code XAResourceRecoveryHelper} or {@code
 * XAResourceRecovery}, which is initialised with the text. {@link DataSourceRecovery} is one for XA data sources.
 * {@code --timeout} says how long to wait for the proof that nothing is left; the default is ten minutes more than the
 * proof takes at least.
 *
 * <p>The node goes before this process. If it starts meanwhile, it gets its log, and this process ends.
 *
 * <p>Its exit status is one of these:
 *
 * <ul>
 *   <li>0: it is proven that no record is left, and the log was closed.
 *   <li>2: the arguments or the configuration are wrong.
 *   <li>3: the log cannot be opened or used.
 *   <li>4: a transaction or a record is left after the timeout.
 *   <li>5: the log is empty, but a resource may hold a prepared branch after the timeout.
 *   <li>6: the node came back, and has its log.
 *   <li>7: the log has a living owner: the node or another adopter. Nothing was changed.
 * </ul>
 *
 * <p>It never ends with 1, because {@code java} ends with 1 if it cannot find this class.
 */
public final class RecoverNode {
    static final int RECOVERED = 0;
    static final int MISUSED = 2;
    static final int UNUSABLE = 3;
    static final int NOT_DRAINED = 4;
    static final int UNPROVEN = 5;
    static final int NODE_IS_BACK = 6;
    static final int OWNER_LIVES = 7;

    private static final System.Logger LOG = System.getLogger(RecoverNode.class.getName());

    private RecoverNode() {}

    /** Recovers the node that the arguments name. */
    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    static int run(String... arguments) {
        Arguments wanted;
        try {
            wanted = Arguments.of(arguments);
        } catch (IllegalArgumentException misused) {
            return told(Level.ERROR, MISUSED, misused.getMessage() + "; usage: " + Arguments.USAGE, null);
        }
        String node = "node " + wanted.node();
        try (Adoption adoption = Adoption.begin(wanted)) {
            return adoption.endingWith(statusOf(node, adoption));
        } catch (StoreLockedException locked) {
            return told(
                    Level.ERROR, OWNER_LIVES, node + " is not recovered, nothing was changed: " + text(locked), locked);
        } catch (StoreFencedException fenced) {
            return told(Level.WARNING, NODE_IS_BACK, node + " has its log again: " + text(fenced), null);
        } catch (StoreException unusable) {
            return told(Level.ERROR, UNUSABLE, node + " is not recovered: " + text(unusable), unusable);
        } catch (IllegalArgumentException | InstallationException misused) {
            return told(Level.ERROR, MISUSED, node + " is not recovered: " + misused.getMessage(), misused);
        } catch (LinkageError missing) {
            return told(
                    Level.ERROR,
                    MISUSED,
                    node + " is not recovered: a class is missing (" + missing + "); use the application's class path,"
                            + " which has narayana-jta, the store and the drivers",
                    missing);
        }
    }

    private static int statusOf(String node, Adoption adoption) {
        DrainReport report = adoption.recover();
        return switch (report.status()) {
            case DRAINED -> told(Level.INFO, RECOVERED, node + " is recovered: " + report, null);
            case LEFT, UNPROVEN -> {
                if (adoption.isAskedToLeave()) {
                    yield told(Level.WARNING, NODE_IS_BACK, node + " came back and asked for its log: " + report, null);
                }
                yield told(
                        Level.WARNING,
                        report.status() == DrainReport.Status.LEFT ? NOT_DRAINED : UNPROVEN,
                        node + " is not recovered wholly in time: " + report + ". Mend what Narayana's log names,"
                                + " and start this command again",
                        null);
            }
        };
    }

    private static String text(StoreException refused) {
        return refused.messageId() + ' ' + refused.getMessage();
    }

    /** Logs the end, and returns the status. */
    static int told(Level level, int status, String text, Throwable cause) {
        LOG.log(level, "TALLY0421 status " + status + ": " + text, cause);
        return status;
    }
}
