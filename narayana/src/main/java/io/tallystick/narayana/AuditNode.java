package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.tallystick.narayana.audit.AskedResources;
import io.tallystick.narayana.audit.Audit;
import io.tallystick.narayana.audit.AuditReport;
import io.tallystick.narayana.audit.AuditedLog;
import io.tallystick.narayana.audit.Helpers;
import io.tallystick.narayana.audit.KeptAside;
import io.tallystick.narayana.drain.RecoverySettings;
import io.tallystick.narayana.logs.SettledTrail;
import io.tallystick.narayana.recover.Arguments;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.RemoteLogs;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.store.spi.StoreInspectors;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A command that proves what is in doubt in a node, and changes nothing. It asks the resources for their prepared
 * branches, waits for the orphan safety interval, reads the log without taking it, and asks the resources again.
 *
 * <pre>java -cp '/app/lib/*' -Dtallystick.store=journal -Dtallystick.directory=/var/lib/tx \
 *     io.tallystick.narayana.AuditNode --node orders-2 \
 *     --helper io.tallystick.narayana.recover.DataSourceRecovery=/etc/recover/accounts.properties</pre>
 *
 * <p>It is started as {@link RecoverNode} is. {@code --timeout} says how long one look at the resources may take; the
 * default is one minute. {@code --keep-in} names a directory in which records of this log were kept that people have
 * forgotten, beside the quarantine of the store; it must be there. The report goes to standard output; docs/in-doubt.md
 * has the findings.
 *
 * <p>Its exit status is one of these:
 *
 * <ul>
 *   <li>0: every resource answered, and nothing is in doubt in this node.
 *   <li>2: the arguments or the configuration are wrong.
 *   <li>3: the log cannot be read, or is damaged.
 *   <li>4: something is in doubt.
 *   <li>5: a resource did not answer.
 *   <li>7: the log is in use, and this kind of store cannot be read then.
 * </ul>
 *
 * <p>It never ends with 1, because {@code java} ends with 1 if it cannot find this class.
 */
public final class AuditNode {
    static final int SETTLED = 0;
    static final int MISUSED = 2;
    static final int UNREADABLE = 3;
    static final int IN_DOUBT = 4;
    static final int UNANSWERED = 5;
    static final int IN_USE = 7;

    private static final System.Logger LOG = System.getLogger(AuditNode.class.getName());
    private static final String KEEP_IN = "--keep-in";
    private static final String USAGE = "AuditNode " + Arguments.USAGE + " [" + KEEP_IN + " DIRECTORY]";
    private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(1);

    private AuditNode() {}

    /** Audits the node that the arguments name. */
    public static void main(String[] arguments) {
        System.exit(run(System.out, arguments));
    }

    static int run(PrintStream out, String... arguments) {
        Arguments wanted;
        List<String> common = new ArrayList<>(List.of(arguments));
        Optional<Path> keptIn;
        try {
            keptIn = keptIn(common);
            wanted = Arguments.of(common.toArray(String[]::new));
        } catch (IllegalArgumentException misused) {
            return told(Level.ERROR, MISUSED, misused.getMessage() + "; usage: " + USAGE, null);
        }
        String node = "node " + wanted.node() + " is not audited: ";
        try {
            AuditReport report = audited(wanted, keptIn);
            report.lines().forEach(out::println);
            out.flush();
            return statusOf(wanted.node(), report);
        } catch (StoreLockedException inUse) {
            return told(Level.ERROR, IN_USE, node + inUse.getMessage(), inUse);
        } catch (StoreException | IOException unreadable) {
            return told(Level.ERROR, UNREADABLE, node + unreadable.getMessage(), unreadable);
        } catch (Helpers.UnansweredException hangs) {
            return told(Level.WARNING, UNANSWERED, node + hangs.getMessage(), null);
        } catch (IllegalArgumentException misused) {
            return told(Level.ERROR, MISUSED, node + misused.getMessage(), misused);
        } catch (LinkageError missing) {
            return told(
                    Level.ERROR,
                    MISUSED,
                    node + "a class is missing (" + missing + "); use the application's class path, which has"
                            + " narayana-jta, the store and the drivers",
                    missing);
        } catch (RuntimeException | Error unexpected) { // otherwise java would end with 1
            return told(Level.ERROR, UNREADABLE, node + unexpected + "; nothing was changed", unexpected);
        }
    }

    /** Takes {@code --keep-in DIRECTORY} out of the arguments. */
    private static Optional<Path> keptIn(List<String> arguments) {
        int at = arguments.indexOf(KEEP_IN);
        if (at < 0) {
            return Optional.empty();
        }
        if (at + 1 == arguments.size()) {
            throw new IllegalArgumentException(KEEP_IN + " has no value");
        }
        arguments.remove(at);
        return Optional.of(Path.of(arguments.remove(at)));
    }

    private static AuditReport audited(Arguments wanted, Optional<Path> keptIn) throws IOException {
        NarayanaNode.checkLength(wanted.node());
        StoreConfiguration settings = StoreSettings.withDirectory(
                RecoverNode.settingsOf(wanted.node()),
                BeanPopulator.getDefaultInstance(ObjectStoreEnvironmentBean.class));
        checkNode(wanted.node(), settings);
        if (keptIn.isPresent()) {
            SettledTrail.checkNamed(new SystemDisk(), keptIn.get(), StoreSettings.quarantine(settings));
        }
        Duration interval = RecoverySettings.orphanSafety();
        Duration atMost = wanted.timeout().orElse(DEFAULT_TIMEOUT);
        AskedResources resources =
                new AskedResources(Helpers.made(wanted.helpers(), atMost), NanoClock.SYSTEM::nanoTime);
        Optional<String> owner = inspected(settings).holder();
        AskedResources.Look first = resources.look(atMost);
        pause(interval);
        AuditedLog log = AuditedLog.of(inspected(settings));
        AskedResources.Look second = resources.look(atMost);
        // An owner that came or went meanwhile has moved branches, and no other process.
        AuditedLog known = log.holder().isPresent()
                ? log
                : owner.or(() -> inspected(settings).holder()).map(log::ownedBy).orElse(log);
        KeptAside aside = KeptAside.in(
                new SystemDisk(),
                Stream.concat(keptIn.stream(), StoreSettings.quarantine(settings).stream())
                        .toList(),
                StoreSettings.configuredForForgotten(settings));
        Audit audit = new Audit(wanted.node(), interval, Instant.now());
        AuditReport report = audit.of(first, known, second, aside);
        // A commit may have been logged between the reading of the log and the second look.
        return report.isAnyOrphan()
                ? audit.of(first, known.and(AuditedLog.of(inspected(settings))), second, aside)
                : report;
    }

    private static void checkNode(String node, StoreConfiguration settings) throws IOException {
        Optional<Path> directory = settings.find(StoreOption.DIRECTORY);
        Optional<StoreGlance> glance =
                directory.isEmpty() ? Optional.empty() : StoreGlance.at(new SystemDisk(), directory.get());
        if (glance.isEmpty() || glance.get().identity().isEmpty()) { // the inspection tells why there is no log
            return;
        }
        Optional<String> owner = glance.get().nodeId();
        if (owner.filter(id -> !id.equals(node)).isPresent()) {
            throw new IllegalArgumentException("the directory " + directory.get() + " belongs to node=" + owner.get()
                    + ": its branches would not be found in it; give the log of " + node);
        }
        if (owner.isEmpty()) {
            // As an adopter is refused.
            throw new IllegalArgumentException("directory=" + glance.get().path() + " holds no store of node=" + node
                    + " that could be audited: tallystick.node "
                    + (glance.get().damages().isEmpty()
                            ? "does not name this node"
                            : "cannot be read, " + glance.get().damages().get(0).getMessage())
                    + ". Mount the volume of the node; if its store has no such file, start the node itself on it");
        }
    }

    private static StoreInspection inspected(StoreConfiguration settings) {
        if (StoreSettings.isInDirectory(settings)) {
            return StoreInspectors.inspect(settings.get(StoreOption.DIRECTORY));
        }
        String store = settings.get(StoreOption.STORE);
        return RemoteLogs.of(store)
                .inspect(settings)
                .orElseThrow(() -> new IllegalArgumentException(StoreOption.STORE.key() + "=" + store
                        + ": the server has no log of node=" + settings.get(StoreOption.NODE_ID)
                        + "; check the address, the schema and --node"));
    }

    /** Waits for this time, or until this thread is interrupted. */
    static void pause(Duration interval) {
        long begun = NanoClock.SYSTEM.nanoTime();
        long left = interval.toNanos();
        while (left > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(AuditNode.class, left);
            left = interval.toNanos() - (NanoClock.SYSTEM.nanoTime() - begun);
        }
    }

    private static int statusOf(String node, AuditReport report) {
        if (report.log().damages() > 0) {
            return told(Level.ERROR, UNREADABLE, "the log of node " + node + " is damaged", null);
        }
        if (!report.problems().isEmpty()) {
            return told(Level.WARNING, UNANSWERED, "node " + node + ": a resource did not answer", null);
        }
        return report.isAnyInDoubt()
                ? told(Level.WARNING, IN_DOUBT, "node " + node + ": something is in doubt", null)
                : told(Level.INFO, SETTLED, "node " + node + ": nothing is in doubt", null);
    }

    /** Logs the end, and returns the status. */
    private static int told(Level level, int status, String text, Throwable cause) {
        LOG.log(level, "TALLY0425 status " + status + ": " + text, cause);
        return status;
    }
}
