package io.tallystick.narayana.doubt;

import io.tallystick.narayana.logs.record.InDoubtTransaction;
import java.util.List;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * Tells once of a transaction that has come in doubt: by an event of Java Flight Recorder, and by a line in the log. A
 * scan of recovery writes at most {@value #LINES} lines, however many there are. Where the runtime has no recorder, the
 * lines remain.
 */
final class DoubtEvents {
    static final int LINES = 10;

    private static final System.Logger LOG = System.getLogger(InDoubtLook.class.getName());
    private static final boolean HAS_RECORDER = hasRecorder();

    private DoubtEvents() {}

    private static boolean hasRecorder() {
        try {
            Recorded.isThere();
            return true;
        } catch (LinkageError noRecorder) {
            return false;
        }
    }

    /**
     * These have come in doubt.
     *
     * @param place of the log, for people
     */
    static void came(String place, List<InDoubtTransaction> transactions) {
        transactions.stream().limit(LINES).forEach(each -> LOG.log(System.Logger.Level.WARNING, line(place, each)));
        if (transactions.size() > LINES) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0422 " + (transactions.size() - LINES) + " more transactions are in doubt in " + place
                            + "; 'tallystick list --in-doubt' shows them");
        }
        if (HAS_RECORDER) {
            transactions.forEach(each -> Recorded.commit(place, each));
        }
    }

    private static String line(String place, InDoubtTransaction transaction) {
        return "TALLY0422 a transaction is in doubt in " + place + ": " + transaction + ". "
                + switch (transaction.logged().state()) {
                    case HEURISTIC -> "A participant has decided on its own; settle it with that resource";
                    case GIVEN_UP -> "Recovery has given it up; settle it with its resources";
                    case UNREADABLE -> "Its record cannot be read";
                    default ->
                        "Recovery has tried and goes on; check that each of its resources can be reached, and"
                                + " that recovery knows it";
                }
                + ": docs/in-doubt.md";
    }

    /** A class of its own, so that classes of the recorder are loaded only if it is available. */
    private static final class Recorded {
        private Recorded() {}

        /** @throws LinkageError there is no recorder */
        static void isThere() {
            new InDoubtEvent().begin();
        }

        static void commit(String place, InDoubtTransaction transaction) {
            InDoubtEvent event = new InDoubtEvent();
            if (event.shouldCommit()) {
                event.store = place;
                event.transaction = transaction.logged().uid();
                event.state = transaction.logged().state().label();
                event.decision = transaction.logged().decision().label();
                event.age = transaction.age().toNanos();
                event.tries = transaction.tries().count();
                event.commit();
            }
        }
    }

    @Name("io.tallystick.InDoubt")
    @Label("Transaction in doubt")
    @Category({"Tallystick", "Narayana"})
    @Description("A transaction stays in the log: recovery has not finished it, or a participant decided on its own")
    @StackTrace(false)
    static final class InDoubtEvent extends Event {
        @Label("Store")
        @Description("The place of the log")
        String store;

        @Label("Transaction")
        @Description("The Uid of the transaction")
        String transaction;

        @Label("State")
        @Description("The state that the tool's list shows")
        String state;

        @Label("Decision")
        @Description("The outcome that recovery carries out")
        String decision;

        @Label("Age")
        @Description("Time since the transaction began, or since its record was seen first")
        @Timespan
        long age;

        @Label("Tries")
        @Description("How often recovery of this process has read the record to finish the transaction")
        long tries;
    }
}
