package io.tallystick.tool.transfer;

import com.eclipsesource.json.Json;
import io.tallystick.narayana.logs.ForgetLines;
import io.tallystick.narayana.logs.KeptRecord;
import io.tallystick.narayana.logs.NarayanaRecords;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.SettledTrail;
import io.tallystick.narayana.logs.record.Decision;
import io.tallystick.narayana.logs.record.InDoubtParticipant;
import io.tallystick.narayana.logs.record.LoggedTransaction;
import io.tallystick.narayana.logs.record.RecordState;
import io.tallystick.storage.Disk;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.AnyStoreCommand;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.GivenKey;
import io.tallystick.tool.command.GivenSettings;
import io.tallystick.tool.command.OwnerOption;
import io.tallystick.tool.command.RemoteLog;
import io.tallystick.tool.command.StateImages;
import io.tallystick.tool.command.StoreAccess;
import io.tallystick.tool.command.StoreAt;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Removes the record of a transaction that recovery does not end, and keeps it aside. */
@Command(
        name = "forget",
        description = {
            "Remove the record of a transaction that recovery does not end, in a store that no process has open. The"
                    + " record is kept as an export, and 'import' brings it back. Settle the resources before.",
            ""
        })
public final class ForgetCommand extends AnyStoreCommand {
    private static final String USER = "user.name";
    // No XA resource takes part in one, and recovery does nothing with a failed one.
    private static final String LRA = NarayanaRecords.ACTIONS + "/LongRunningAction/";
    private static final Set<RecordState> FORGETTABLE =
            EnumSet.of(RecordState.HEURISTIC, RecordState.GIVEN_UP, RecordState.FINISHED, RecordState.IN_DOUBT);

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "KEY",
            description = "a key as list prints it, an id alone, or one of Narayana's Uids")
    private String second;

    @Option(names = "--yes", description = "remove the record; without it the plan is shown")
    private boolean isYes;

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            description = "with --yes: why it may be forgotten, 1 to 500 printable characters; it stays in the trail")
    private Optional<String> reason;

    @Option(
            names = "--branches-ended",
            description = "no participant has a branch at its resource any more: an audit has shown that")
    private boolean isEnded;

    @Option(
            names = "--keep-in",
            paramLabel = "DIRECTORY",
            description = "keep the record and the trail here instead of in the store's quarantine; it must be there;"
                    + " needed with --url")
    private Optional<Path> keptIn;

    @Option(names = "-D", paramLabel = "KEY=VALUE", description = "a configuration key of the store for this opening")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Mixin
    private OwnerOption owner;

    @Override
    protected ExitStatus run() throws IOException {
        String key = operand(second);
        checkOptions();
        StoreInspection inspection = inspect(true);
        if (!inspection.isHealthy()) {
            throw new ToolException(
                    ExitStatus.NEGATIVE,
                    inspection.place() + " is damaged, nothing was changed; 'tallystick verify' shows the damage");
        }
        InspectedRecord record = found(inspection, key);
        StateImage image = record.image();
        LoggedTransaction transaction =
                LoggedTransaction.of(record.key(), image.committed() != null ? image.committed() : image.shadow());
        checkForgettable(transaction);
        warn(transaction);
        if (!isYes) {
            tellPlan(transaction);
            throw new ToolException(
                    ExitStatus.REFUSED, "nothing was changed; --yes and --reason TEXT remove the record");
        }
        forget(inspection, record, image, transaction);
        return ExitStatus.OK;
    }

    private void checkOptions() throws IOException {
        reason.ifPresent(SettledTrail::checkReason);
        SettledTrail.checkUser(String.valueOf(System.getProperty(USER)));
        if (isYes && reason.isEmpty()) {
            throw new ParameterException(spec().commandLine(), "--yes needs --reason TEXT: it stays in the trail");
        }
        if (isYes && remoteLog().isPresent() && keptIn.isEmpty()) {
            throw new ParameterException(
                    spec().commandLine(), "with --url give --keep-in DIRECTORY, where the record is kept");
        }
        if (keptIn.isPresent()) {
            SettledTrail.checkNamed(new SystemDisk(), keptIn.get(), quarantine());
        }
    }

    private Optional<Path> quarantine() {
        return remoteLog().isPresent()
                ? Optional.empty()
                : Optional.of(
                        SettledTrail.directoryIn(directory().toAbsolutePath().normalize()));
    }

    private static InspectedRecord found(StoreInspection inspection, String key) {
        List<InspectedRecord> found = inspection.records().stream()
                .filter(record -> GivenKey.parse(key).test(record.key()))
                .toList();
        if (found.size() != 1) {
            throw new ToolException(
                    ExitStatus.NEGATIVE,
                    inspection.place() + " has " + (found.isEmpty() ? "no state" : found.size() + " states")
                            + " for the key " + Escaped.of(key) + "; 'tallystick list' prints the keys");
        }
        return found.get(0);
    }

    // Recovery never reads a record again that it has given up. An audit finds branches of such a transaction by its
    // Uid or its parent, so also those of a participant that cannot be read.
    private void checkForgettable(LoggedTransaction transaction) {
        String what =
                "uid=" + transaction.uid() + " state=" + transaction.state().label();
        StateKey key = transaction.key();
        boolean isTransaction = key.id().length() == NarayanaUid.BYTES && LoggedTransaction.isOf(key.type());
        boolean isGivenUp = NarayanaRecords.isGivenUp(key.type());
        if (!isTransaction || !isGivenUp && !FORGETTABLE.contains(transaction.state())) {
            throw new ToolException(
                    ExitStatus.REFUSED,
                    what + " type=" + Escaped.of(key.type())
                            + ": forgetting it could contradict a decision or lose data; nothing was changed. Only the"
                            + " record of a transaction can be forgotten that is heuristic, given-up, finished, or"
                            + " in-doubt, with all its branches ended");
        }
        boolean isFoundByUid =
                isGivenUp && (!transaction.isImported() || transaction.parent().isPresent());
        if (isGivenUp && !isFoundByUid) {
            throw new ToolException(
                    ExitStatus.REFUSED,
                    what + ": it was imported, and the Xid of its parent cannot be read, so no audit can find its"
                            + " branches; nothing was changed. Keep the store, and ask those who wrote the record");
        }
        if (!key.type().startsWith(LRA) && !isFoundByUid) {
            transaction.participants().stream()
                    .filter(each -> each.xid().isEmpty())
                    .findFirst()
                    .ifPresent(nameless -> refuseNameless(what, nameless));
        }
        // A heuristic one too: Narayana records XAER_RMERR of a commit as heuristic-rollback, and XAER_NOTA as
        // heuristic-hazard (XAResourceRecord.topLevelCommit, 7.3.4), and the branch may still be prepared.
        if (transaction.state() != RecordState.FINISHED && !isEnded) {
            throw new ToolException(
                    ExitStatus.REFUSED,
                    what + " decision=" + transaction.decision().label()
                            + ": a participant may have a branch that is prepared, also one that is heuristic. Without"
                            + " the record recovery would not commit it. Run io.tallystick.narayana.AuditNode; if no"
                            + " resource has a branch of this transaction, give --branches-ended. Nothing was changed");
        }
    }

    private static void refuseNameless(String what, InDoubtParticipant nameless) {
        throw new ToolException(
                ExitStatus.REFUSED,
                what + ": the participant record=" + Escaped.of(nameless.record()) + " state="
                        + nameless.state().label()
                        + " has no Xid that can be read, so no audit can show that its branch"
                        + " has ended; nothing was changed. Recover with the version of the application that wrote"
                        + " it");
    }

    private void tellPlan(LoggedTransaction transaction) {
        if (output().isJson()) {
            return;
        }
        output().line(
                        "uid=%s state=%s decision=%s",
                        transaction.uid(),
                        transaction.state().label(),
                        transaction.decision().label());
        for (InDoubtParticipant participant : transaction.participants()) {
            output().line(
                            "  %-18s %s",
                            participant.state().label(),
                            Escaped.of(participant.resource().orElse("-")));
        }
        output().line("the record would be kept aside and removed; the resources are not touched");
    }

    private void warn(LoggedTransaction transaction) {
        if (transaction.state() != RecordState.FINISHED && transaction.decision() != Decision.ROLLBACK) {
            output().remark("warning: without the record nothing tells the node what was decided. " + laterBranch());
        }
    }

    private String laterBranch() {
        return remoteLog().isPresent()
                ? "A branch of it that shows up later is rolled back, also where the decision was to commit, unless"
                        + " the node has tallystick.indoubt.keep-in with the directory of --keep-in"
                : "A branch of it that shows up later is left alone, and keeps its locks: import the record then,"
                        + " before the node starts";
    }

    private void forget(
            StoreInspection inspection, InspectedRecord record, StateImage image, LoggedTransaction transaction)
            throws IOException {
        Optional<RemoteLog> remote = remoteLog();
        StoreAccess access = remote.isPresent() ? StoreAccess.SYSTEM : owner.accessTo(directory());
        Path file;
        try (ObjectStore store = access.open(configuration(remote, access.disk()))) {
            checkStill(store, record.key(), image);
            Instant now = Instant.now();
            Disk disk = keptIn.isPresent() ? new SystemDisk() : access.disk();
            Path place = keptIn.map(path -> path.toAbsolutePath().normalize())
                    .orElseGet(() -> SettledTrail.directoryIn(inspection.directory()));
            SettledTrail trail = new SettledTrail(disk, place);
            trail.makeDirectory();
            file = new KeptRecord(disk, place)
                    .keep(
                            inspection.kind(),
                            inspection.storeId().map(UUID::toString).orElse(""),
                            record.key(),
                            image,
                            now);
            try (ForgetLines lines = new ForgetLines(
                    InstantSource.system(), System.getProperty(USER), settled(transaction), reason.orElseThrow())) {
                // Before the removal: a kill in between leaves a line too many, and never a removal without one.
                lines.begin(trail, now, file.getFileName().toString());
                boolean isElsewhere = keptIn.isPresent() && !quarantine().equals(Optional.of(place));
                if (isElsewhere && remote.isEmpty()) {
                    // Recovery of the node looks there, and need not know of the other directory.
                    lines.begin(
                            new SettledTrail(access.disk(), SettledTrail.directoryIn(inspection.directory())),
                            now,
                            file.toString());
                }
                lines.removing();
                remove(store, record.key(), image);
                lines.removed();
            }
        }
        if (output().isJson()) {
            output().json(Json.object().add("forgotten", transaction.uid()).add("kept", file.toString()));
        } else {
            output().line("forgotten=%s kept=%s", transaction.uid(), Escaped.place(file.toString()));
        }
    }

    private static void remove(ObjectStore store, StateKey key, StateImage image) {
        if (image.isHidden()) {
            store.reveal(key);
        }
        if (image.shadow() != null) {
            store.discardShadow(key, Durability.FORCED);
        }
        if (image.committed() != null) {
            store.remove(key, Durability.FORCED);
        }
    }

    private Map<String, String> settled(LoggedTransaction transaction) {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("action", "forget");
        values.put("uid", transaction.uid());
        values.put("type", transaction.key().type());
        // The branches of an imported transaction have the global part of its parent's Xid, and not its Uid.
        transaction.parent().ifPresent(parent -> values.put("parent", parent.toString()));
        values.put("state", transaction.state().label());
        values.put("decision", transaction.decision().label());
        values.put("branches-ended", String.valueOf(isEnded));
        return values;
    }

    private StoreConfiguration configuration(Optional<RemoteLog> remote, Disk disk) throws IOException {
        if (remote.isEmpty()) {
            return StoreAt.find(directory(), disk).configuration(settings);
        }
        // As the node itself would, it would take the log from a process that recovers the node.
        StoreConfiguration.Builder builder = remote.get().configuration().toBuilder()
                .set(StoreOption.EXPECT_EXISTING, true)
                .adopting();
        GivenSettings.apply(settings, builder);
        return builder.build();
    }

    /** A process may have changed the record before this one got the store. */
    private static void checkStill(ObjectStore store, StateKey key, StateImage there) {
        StateStatus status = store.statusOf(key);
        boolean isStill = status == there.status()
                && (status.isHidden()
                        || StateImages.same(
                                there,
                                StateImage.of(
                                        store.read(key).orElse(null),
                                        store.readShadow(key).orElse(null),
                                        false)));
        if (!isStill) {
            throw new ToolException(
                    ExitStatus.REFUSED,
                    "key=" + key.toPrintable() + " was changed by another process meanwhile; look at it again, nothing"
                            + " was changed");
        }
    }
}
