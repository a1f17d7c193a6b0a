package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.jta.xa.XATxConverter;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.tallystick.narayana.audit.AskedResources;
import io.tallystick.narayana.audit.AuditedLog;
import io.tallystick.narayana.audit.BranchEnding;
import io.tallystick.narayana.audit.Helpers;
import io.tallystick.narayana.audit.KeptAside;
import io.tallystick.narayana.audit.SettleArguments;
import io.tallystick.narayana.drain.RecoverySettings;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.SettledTrail;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.narayana.logs.record.Decision;
import io.tallystick.narayana.logs.record.InDoubtParticipant;
import io.tallystick.narayana.logs.record.LoggedTransaction;
import io.tallystick.narayana.recover.OwnLogFilter;
import io.tallystick.narayana.recover.Resources;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A command that ends one branch at its resource, as the log of the branch's node demands. It is for the case that
 * {@link RecoverNode} does not end it. It takes the log as an adopter does, so no process of the node decides
 * meanwhile.
 *
 * <pre>java -cp '/app/lib/*' -Dtallystick.store=journal -Dtallystick.directory=/var/lib/tx \
 *     io.tallystick.narayana.SettleBranch --node orders-2 \
 *     --helper io.tallystick.narayana.recover.DataSourceRecovery=/etc/recover/accounts.properties \
 *     --rollback 131077:0000...:0000... --yes --reason "ticket 4711"</pre>
 *
 * <p>It commits only a branch whose record says commit. It rolls back only a branch that has no record, or whose record
 * says rollback. Before a rollback it looks at the resources and waits for the orphan safety interval. A branch without
 * a record must stand there before and after, and nothing in the quarantine or in {@code --keep-in} may speak for a
 * record. Everything else is refused. What is done cannot be undone. Without {@code --yes} it says what it would do. A
 * line in {@code settled.log} says who did what, when and why: in the quarantine of the store, or in {@code
 * --keep-in DIRECTORY}, which a log in a database needs, and which must be there.
 *
 * <p>Its exit status is one of these:
 *
 * <ul>
 *   <li>0: the resource has ended the branch.
 *   <li>2: the arguments or the configuration are wrong.
 *   <li>3: the log cannot be opened or used. The resource was not touched.
 *   <li>4: it is refused: it would contradict the log, or no resource has the branch. Or {@code --yes} is missing.
 *   <li>5: the resource refused, decided on its own, or gave no answer. The text says whether the branch may have
 *       ended.
 *   <li>7: the log has a living owner. Nothing was changed.
 * </ul>
 *
 * <p>It never ends with 1, because {@code java} ends with 1 if it cannot find this class.
 */
public final class SettleBranch {
    static final int DONE = 0;
    static final int MISUSED = 2;
    static final int UNUSABLE = 3;
    static final int REFUSED = 4;
    static final int UNANSWERED = 5;
    static final int OWNER_LIVES = 7;

    private static final System.Logger LOG = System.getLogger(SettleBranch.class.getName());
    private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(1);

    private final PrintStream out;
    private final SettleArguments wanted;
    // What the resource has answered; null before the deed.
    private BranchEnding.Answer answer;
    // Whether recovery leaves the record of the branch for a person.
    private boolean isKept;

    private SettleBranch(PrintStream out, SettleArguments wanted) {
        this.out = out;
        this.wanted = wanted;
    }

    /** Settles the branch that the arguments name. */
    public static void main(String[] arguments) {
        System.exit(run(System.out, arguments));
    }

    static int run(PrintStream out, String... arguments) {
        SettleArguments wanted;
        try {
            wanted = SettleArguments.of(arguments);
        } catch (IllegalArgumentException misused) {
            return told(Level.ERROR, MISUSED, misused.getMessage() + "; usage: " + SettleArguments.USAGE, null);
        }
        String branch = "the branch " + wanted.branch() + " is not settled: ";
        SettleBranch settling = new SettleBranch(out, wanted);
        try {
            return settling.settled();
        } catch (StoreLockedException locked) {
            return told(Level.ERROR, OWNER_LIVES, branch + "nothing was changed: " + locked.getMessage(), locked);
        } catch (StoreException | IOException unusable) {
            return told(Level.ERROR, UNUSABLE, branch + unusable.getMessage(), unusable);
        } catch (Helpers.UnansweredException hangs) {
            return told(Level.ERROR, UNANSWERED, branch + hangs.getMessage(), null);
        } catch (IllegalArgumentException misused) {
            return told(Level.ERROR, MISUSED, branch + misused.getMessage(), misused);
        } catch (LinkageError missing) {
            return told(
                    Level.ERROR,
                    MISUSED,
                    branch + "a class is missing (" + missing + "); use the application's class path, which has"
                            + " narayana-jta, the store and the drivers",
                    missing);
        } catch (RuntimeException | Error unexpected) { // otherwise java would end with 1
            return told(Level.ERROR, UNUSABLE, branch + unexpected, unexpected);
        }
    }

    /** After the deed no failure of the log or of the trail hides what the resource has answered. */
    private int settled() throws IOException {
        try {
            return settle();
        } catch (IOException | RuntimeException | Error after) {
            if (answer == null) {
                throw after;
            }
            return toldAnswer("; and then the log or the trail failed, so the trail may lack its second line: "
                    + AskedResources.text(after));
        }
    }

    private int settle() throws IOException {
        String node = wanted.common().node();
        NarayanaNode.checkLength(node);
        SettledTrail.checkUser(String.valueOf(System.getProperty("user.name")));
        StoreConfiguration settings = StoreSettings.withDirectory(
                        RecoverNode.settingsOf(node),
                        BeanPopulator.getDefaultInstance(ObjectStoreEnvironmentBean.class))
                .toBuilder()
                .set(StoreOption.EXPECT_EXISTING, true)
                .adopting()
                .build();
        StoreSettings.checkAdoptable(settings);
        if (wanted.trail().isPresent()) {
            SettledTrail.checkNamed(new SystemDisk(), wanted.trail().get(), StoreSettings.quarantine(settings));
        }
        Optional<Path> trail = wanted.trail()
                .or(() -> settings.find(StoreOption.INDOUBT_KEEP_IN))
                .or(() -> StoreSettings.quarantine(settings));
        if (trail.isEmpty()) {
            throw new IllegalArgumentException(
                    "the log lies in no directory; give --keep-in DIRECTORY, where the trail is kept, or set "
                            + StoreOption.INDOUBT_KEEP_IN.key());
        }
        Duration atMost = wanted.common().timeout().orElse(DEFAULT_TIMEOUT);
        List<Resources.Source> sources = Helpers.made(wanted.common().helpers(), atMost);
        // Before the log is taken: nobody who wants it has to wait.
        boolean mayLackRecord = wanted.isYes() && wanted.outcome() == Decision.ROLLBACK;
        AskedResources.Look before = mayLackRecord
                ? seenBefore(sources, atMost)
                : new AskedResources.Look(Map.of(wanted.branch(), ""), Map.of());
        try (ObjectStore log = ObjectStores.open(settings)) {
            // Now nobody forgets a record of it any more.
            KeptAside aside = KeptAside.in(
                    new SystemDisk(),
                    Stream.concat(wanted.trail().stream(), StoreSettings.quarantine(settings).stream())
                            .toList(),
                    StoreSettings.configuredForForgotten(settings));
            AuditedLog.Index index = AuditedLog.of(transactions(log), node);
            Optional<LoggedTransaction> transaction = index.of(wanted.branch());
            Optional<String> objection = objection(transaction, aside, before)
                    .or(() -> transaction.isPresent() ? Optional.empty() : objection(index));
            if (objection.isPresent()) {
                return told(
                        Level.ERROR,
                        REFUSED,
                        objection.get() + ". The branch " + wanted.branch() + " was not touched",
                        null);
            }
            if (transaction.isEmpty() && !before.branches().containsKey(wanted.branch())) {
                return told(
                        Level.ERROR,
                        UNANSWERED,
                        "the branch was not touched: no resource that answered lists it: " + before.problems(),
                        null);
            }
            String plan = wanted.outcome().label() + " of " + wanted.branch() + ", "
                    + transaction
                            .map(known -> "as the record uid=" + known.uid() + " demands")
                            .orElse("which has no record in the log of node " + node);
            out.println(plan + "; this cannot be undone");
            out.flush();
            if (!wanted.isYes()) {
                return told(Level.WARNING, REFUSED, "nothing was changed; --yes and --reason TEXT do it", null);
            }
            // The node leaves this process so much of its patience to end.
            Duration half = settings.get(StoreOption.PATIENCE).dividedBy(2);
            end(
                    transaction,
                    new SettledTrail(new SystemDisk(), trail.get()),
                    log,
                    new BranchEnding(sources, wanted.branch(), wanted.outcome()),
                    half.compareTo(atMost) < 0 ? half : atMost);
        }
        return toldAnswer("");
    }

    /**
     * A look at the resources, an orphan safety interval before the log is read. A branch that is younger may be of a
     * transaction that is about to be decided, by a process with another log.
     */
    private static AskedResources.Look seenBefore(List<Resources.Source> sources, Duration atMost) {
        AskedResources.Look look = new AskedResources(sources, NanoClock.SYSTEM::nanoTime).look(atMost);
        AuditNode.pause(RecoverySettings.orphanSafety());
        return Thread.currentThread().isInterrupted()
                ? new AskedResources.Look(Map.of(), Map.of("this command", "it was interrupted"))
                : look;
    }

    private static List<LoggedTransaction> transactions(ObjectStore log) {
        List<LoggedTransaction> transactions = new ArrayList<>();
        log.types().stream()
                .filter(LoggedTransaction::isOf)
                .flatMap(type -> log.keys(type).stream())
                .filter(key -> key.id().length() == NarayanaUid.BYTES)
                .forEach(key -> transactions.add(LoggedTransaction.of(
                        key, log.read(key).or(() -> log.readShadow(key)).orElse(new byte[0]))));
        return transactions;
    }

    /** Why the branch must not be ended so; empty if it may. */
    private Optional<String> objection(
            Optional<LoggedTransaction> transaction, KeptAside aside, AskedResources.Look before) {
        BranchId branch = wanted.branch();
        if (transaction.isPresent()) {
            return objection(transaction.get());
        }
        if (branch.format() != XATxConverter.FORMAT_ID) {
            return Optional.of("format=" + branch.format() + " is not that of this transaction manager: its own one"
                    + " must end the branch");
        }
        String node = wanted.common().node();
        Optional<String> importer = branch.subordinateNode().filter(other -> !other.equals(node));
        if (importer.isPresent() || branch.node().filter(node::equals).isEmpty()) {
            return Optional.of("the branch is of node="
                    + printable(importer.or(branch::node).orElse("unknown"))
                    + ": only the log of that node can tell what was decided; give that node and its log");
        }
        if (wanted.outcome() != Decision.ROLLBACK) {
            return Optional.of(
                    "the log has no record of it, so it was not decided to commit: only --rollback is right");
        }
        Optional<String> kept = aside.of(branch);
        if (kept.isPresent()) {
            return Optional.of("the log has no record of it, but " + kept.get() + ". Look at what was decided. Bring a"
                    + " record back with 'tallystick import', and then end the branch as it says; move out of the"
                    + " quarantine what has no record of a prepared branch");
        }
        return before.branches().containsKey(branch) || !before.problems().isEmpty()
                ? Optional.empty()
                : Optional.of("no resource lists the branch, or did not list it "
                        + RecoverySettings.orphanSafety().toSeconds() + " s before: it may be of a transaction under"
                        + " way in a second process of this node. Audit the node");
    }

    // As recovery leaves all imported branches without a record alone then.
    private Optional<String> objection(AuditedLog.Index index) {
        return index.mayBeOf(wanted.branch())
                .map(givenUp -> "the branch belongs to an imported transaction, and has no record that names it, but"
                        + " the log has given up records of imported transactions, such as uid=" + givenUp.uid()
                        + ", which may have decided to commit it. Find out what was decided, end the branches of these"
                        + " records, and forget them with 'tallystick forget'; then try again");
    }

    private static boolean isForAPerson(LoggedTransaction transaction) {
        return switch (transaction.state()) {
            case HEURISTIC, GIVEN_UP, UNREADABLE -> true;
            case IN_DOUBT, FINISHED, NOT_DECODED, BOOKKEEPING, OTHER -> false;
        };
    }

    // A resource that has answered the commit with an error may still have the branch, and recovery does not try again.
    private Optional<String> objection(LoggedTransaction transaction) {
        return transaction.decision() == wanted.outcome()
                ? Optional.empty()
                : Optional.of("the record uid=" + transaction.uid() + " demands decision="
                        + transaction.decision().label() + ", and not "
                        + wanted.outcome().label()
                        + missing(transaction));
    }

    /** What tells the outcome, where the record does not. */
    private static String missing(LoggedTransaction transaction) {
        return switch (transaction.decision()) {
            case PARENT ->
                ": the transaction manager of its parent decides"
                        + transaction
                                .parent()
                                .map(parent -> ", parent=" + parent)
                                .orElse("");
            case UNKNOWN ->
                transaction
                        .markable()
                        .map(SettleBranch::missing)
                        .orElse(": the record does not tell what was decided. The application's log may, or the other"
                                + " resources of the transaction");
            case COMMIT, ROLLBACK -> "";
        };
    }

    private static String missing(InDoubtParticipant markable) {
        return ": the record was written before the CommitMarkableResource resource="
                + printable(markable.resource().orElse("without a name"))
                + " committed, and its own database tells whether it did: by a row in its table xids, with xid="
                + markable.xid().map(BranchId::toString).orElse("unknown")
                + ". With the row the other branches are to be committed, without it to be rolled back. Let recovery of"
                + " the application do that, which looks for the row";
    }

    private void end(
            Optional<LoggedTransaction> transaction,
            SettledTrail trail,
            ObjectStore log,
            BranchEnding ending,
            Duration atMost)
            throws IOException {
        String user = String.valueOf(System.getProperty("user.name"));
        Map<String, String> values = new LinkedHashMap<>();
        values.put("action", wanted.outcome().label());
        values.put("node", wanted.common().node());
        values.put("xid", wanted.branch().toString());
        values.put("uid", transaction.map(LoggedTransaction::uid).orElse("none"));
        values.put("outcome", "begun");
        // Before the deed: a kill in between leaves a line too many, and never a deed without one.
        trail.addLocked(Instant.now(), user, values, wanted.reason());
        isKept = transaction.filter(SettleBranch::isForAPerson).isPresent();
        OwnLogFilter own = new OwnLogFilter(log);
        answer = ending.end(own::prove, atMost);
        values.put("outcome", answer.result().name() + ": " + answer.text());
        trail.addLocked(Instant.now(), user, values, wanted.reason());
        own.clear();
    }

    /** Tells what the resource has answered, and returns the status. */
    private int toldAnswer(String more) {
        String text = answer.text();
        return switch (answer.result()) {
            case ENDED ->
                told(
                        Level.INFO,
                        DONE,
                        wanted.outcome().label() + " of " + wanted.branch()
                                + (isKept
                                        ? " is done; recovery does not remove the record: audit each resource, then"
                                                + " 'tallystick forget' does"
                                        : " is done; recovery removes the record, if there is one")
                                + more,
                        null);
            case NOT_FOUND -> told(Level.ERROR, REFUSED, text + ": " + wanted.branch() + more, null);
            case DECIDED_ALONE ->
                told(
                        Level.ERROR,
                        UNANSWERED,
                        "the resource has decided on its own: " + text + "; compare that with "
                                + wanted.outcome().label() + ", and correct the data where it differs" + more,
                        null);
            case NOT_TOUCHED -> told(Level.ERROR, UNANSWERED, "the branch was not touched: " + text + more, null);
            case REFUSED -> told(Level.ERROR, UNANSWERED, "the resource refused: " + text + "; audit it" + more, null);
            case UNKNOWN ->
                told(Level.ERROR, UNANSWERED, "the branch may have ended or not: " + text + "; audit it" + more, null);
        };
    }

    private static String printable(String text) {
        return text.replaceAll("\\p{C}", "?");
    }

    /** Logs the end, and returns the status. */
    private static int told(Level level, int status, String text, Throwable cause) {
        LOG.log(level, "TALLY0426 status " + status + ": " + text, cause);
        return status;
    }
}
