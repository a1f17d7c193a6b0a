package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.jta.xa.XATxConverter;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.tallystick.narayana.audit.AuditedLog;
import io.tallystick.narayana.audit.BranchEnding;
import io.tallystick.narayana.audit.SettleArguments;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.SettledTrail;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.narayana.logs.record.Decision;
import io.tallystick.narayana.logs.record.InDoubtParticipant;
import io.tallystick.narayana.logs.record.LoggedTransaction;
import io.tallystick.narayana.recover.OwnLogFilter;
import io.tallystick.narayana.recover.Resources;
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
 * says rollback. Everything else is refused. What is done cannot be undone. Without {@code --yes} it says what it would
 * do. A line in {@code settled.log} says who did what, when and why: in the quarantine of the store, or in {@code
 * --keep-in DIRECTORY}, which a log in a database needs.
 *
 * <p>Its exit status is one of these:
 *
 * <ul>
 *   <li>0: the resource has ended the branch.
 *   <li>2: the arguments or the configuration are wrong.
 *   <li>3: the log cannot be opened or used. The resource was not touched.
 *   <li>4: it is refused: it would contradict the log, or no resource has the branch. Or {@code --yes} is missing.
 *   <li>5: the resource refused, or gave no answer. The text says whether the branch may have ended.
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

    private SettleBranch() {}

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
        try {
            return settle(out, wanted);
        } catch (StoreLockedException locked) {
            return told(Level.ERROR, OWNER_LIVES, branch + "nothing was changed: " + locked.getMessage(), locked);
        } catch (StoreException | IOException unusable) {
            return told(Level.ERROR, UNUSABLE, branch + unusable.getMessage(), unusable);
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

    private static int settle(PrintStream out, SettleArguments wanted) throws IOException {
        String node = wanted.common().node();
        NarayanaNode.checkLength(node);
        StoreConfiguration settings = StoreSettings.withDirectory(
                        RecoverNode.settingsOf(node),
                        BeanPopulator.getDefaultInstance(ObjectStoreEnvironmentBean.class))
                .toBuilder()
                .set(StoreOption.EXPECT_EXISTING, true)
                .adopting()
                .build();
        Optional<Path> trail = wanted.trail().or(() -> trailIn(settings));
        if (trail.isEmpty()) {
            throw new IllegalArgumentException(
                    "the log lies in no directory; give --keep-in DIRECTORY, where the trail is kept");
        }
        List<Resources.Source> sources = Resources.of(wanted.common().helpers()).sources();
        try (ObjectStore log = ObjectStores.open(settings)) {
            Optional<LoggedTransaction> transaction =
                    AuditedLog.of(transactions(log)).of(wanted.branch());
            Optional<String> objection = objection(wanted, transaction);
            if (objection.isPresent()) {
                return told(
                        Level.ERROR,
                        REFUSED,
                        objection.get() + ". The branch " + wanted.branch() + " was not touched",
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
            return end(wanted, transaction, new SettledTrail(new SystemDisk(), trail.get()), log, sources);
        }
    }

    private static Optional<Path> trailIn(StoreConfiguration settings) {
        return StoreSettings.isInDirectory(settings)
                ? Optional.of(SettledTrail.directoryIn(
                        settings.get(StoreOption.DIRECTORY).toAbsolutePath().normalize()))
                : Optional.empty();
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
    private static Optional<String> objection(SettleArguments wanted, Optional<LoggedTransaction> transaction) {
        BranchId branch = wanted.branch();
        if (transaction.isPresent()) {
            return objection(wanted, transaction.get());
        }
        if (branch.format() != XATxConverter.FORMAT_ID) {
            return Optional.of("format=" + branch.format() + " is not that of this transaction manager: its own one"
                    + " must end the branch");
        }
        if (branch.node().filter(wanted.common().node()::equals).isEmpty()) {
            return Optional.of(
                    "the branch is of node=" + branch.node().orElse("unknown").replaceAll("\\p{C}", "?")
                            + ": only the log of that node can tell what was decided; give that node and its log");
        }
        return wanted.outcome() == Decision.ROLLBACK
                ? Optional.empty()
                : Optional.of("the log has no record of it, so it was not decided to commit: only --rollback is right");
    }

    private static Optional<String> objection(SettleArguments wanted, LoggedTransaction transaction) {
        boolean isSelfDecided = transaction.participants().stream()
                .filter(participant ->
                        participant.xid().filter(wanted.branch()::equals).isPresent())
                .map(InDoubtParticipant::state)
                .anyMatch(InDoubtParticipant.State::isHeuristic);
        if (isSelfDecided) {
            return Optional.of("its resource has decided on its own, says the record uid=" + transaction.uid()
                    + ": correct the data, then 'tallystick forget' the record");
        }
        return transaction.decision() == wanted.outcome()
                ? Optional.empty()
                : Optional.of("the record uid=" + transaction.uid() + " demands decision="
                        + transaction.decision().label() + ", and not "
                        + wanted.outcome().label());
    }

    private static int end(
            SettleArguments wanted,
            Optional<LoggedTransaction> transaction,
            SettledTrail trail,
            ObjectStore log,
            List<Resources.Source> sources)
            throws IOException {
        String user = String.valueOf(System.getProperty("user.name"));
        Map<String, String> values = new LinkedHashMap<>();
        values.put("action", wanted.outcome().label());
        values.put("node", wanted.common().node());
        values.put("xid", wanted.branch().toString());
        values.put("uid", transaction.map(LoggedTransaction::uid).orElse("none"));
        values.put("outcome", "begun");
        // Before the deed: a kill in between leaves a line too many, and never a deed without one.
        trail.add(Instant.now(), user, values, wanted.reason());
        OwnLogFilter own = new OwnLogFilter(log);
        BranchEnding.Answer answer = new BranchEnding(sources, wanted.branch(), wanted.outcome())
                .end(own::prove, wanted.common().timeout().orElse(DEFAULT_TIMEOUT));
        own.clear();
        values.put("outcome", answer.result().name() + ": " + answer.text());
        trail.add(Instant.now(), user, values, wanted.reason());
        return switch (answer.result()) {
            case ENDED ->
                told(
                        Level.INFO,
                        DONE,
                        wanted.outcome().label() + " of " + wanted.branch()
                                + " is done; recovery removes the record, if there is one",
                        null);
            case NOT_FOUND -> told(Level.ERROR, REFUSED, answer.text() + ": " + wanted.branch(), null);
            case REFUSED ->
                told(Level.ERROR, UNANSWERED, "the resource refused: " + answer.text() + "; audit it", null);
            case UNKNOWN ->
                told(
                        Level.ERROR,
                        UNANSWERED,
                        "the branch may have ended or not: " + answer.text() + "; audit it",
                        null);
        };
    }

    /** Logs the end, and returns the status. */
    private static int told(Level level, int status, String text, Throwable cause) {
        LOG.log(level, "TALLY0426 status " + status + ": " + text, cause);
        return status;
    }
}
