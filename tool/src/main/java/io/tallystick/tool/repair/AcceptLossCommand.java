package io.tallystick.tool.repair;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskLock;
import io.tallystick.storage.LossMark;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.StoreDirectoryException;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.NoticedLoss;
import io.tallystick.tool.command.AnyStoreCommand;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.MarkedLoss;
import io.tallystick.tool.command.OwnerOption;
import io.tallystick.tool.command.RemoteLog;
import io.tallystick.tool.command.StoreAccess;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lets processes open a store again that lacks what was acknowledged. */
@Command(
        name = "accept-loss",
        description = {
            "Show what a process has noticed to be missing in a store, and with --reason accept that, so that processes"
                    + " open the store again. The reason stays beside the store.",
            ""
        })
public final class AcceptLossCommand extends AnyStoreCommand {
    private static final String USER = "user.name";
    private static final String NEXT = "Compare with the resource managers before recovery runs: transactions whose"
            + " records are missing may be in doubt there.";

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            description = "why the store may be opened again, 1 to 500 printable characters; without it nothing is"
                    + " changed")
    private Optional<String> reason;

    @Mixin
    private OwnerOption owner;

    @Override
    protected ExitStatus run() throws IOException {
        reason.ifPresent(LossMark::checkReason);
        Optional<RemoteLog> log = remoteLog();
        return log.isPresent() ? accept(log.get()) : accept(directory());
    }

    private ExitStatus accept(Path given) throws IOException {
        Disk looking = new SystemDisk();
        Path directory = given.toAbsolutePath().normalize();
        if (looking.kindOf(directory) != Disk.PathKind.DIRECTORY) {
            throw new ToolException(
                    ExitStatus.NO_STORE,
                    "directory=" + directory + " is not there, or is not a directory; give the directory of a store"
                            + " (tallystick.directory)");
        }
        String place = "directory=" + directory;
        List<NoticedLoss> losses = known(place, MarkedLoss.in(looking, directory));
        StoreAccess access = owner.accessTo(directory);
        DiskLock lock = claim(access, directory);
        try {
            acceptOwned(access.disk(), directory, losses);
        } finally {
            lock.close();
        }
        accepted(place, losses, "file=" + directory.resolve(LossMark.ACCEPTED_FILE_NAME));
        return ExitStatus.OK;
    }

    private void acceptOwned(Disk disk, Path directory, List<NoticedLoss> losses) throws IOException {
        Optional<LossMark> mark = LossMark.find(disk, directory);
        if (mark.isEmpty() || !MarkedLoss.in(disk, directory).equals(losses)) {
            throw new ToolException(
                    ExitStatus.REFUSED,
                    "directory=" + directory + ": the mark was changed meanwhile; nothing was accepted, look again");
        }
        LossMark.accept(disk, directory, mark.get(), reason.orElseThrow(), System.getProperty(USER), Instant.now());
    }

    private static DiskLock claim(StoreAccess access, Path directory) throws IOException {
        try {
            return StoreDirectory.claim(access.disk(), directory, false);
        } catch (StoreDirectoryException refused) {
            boolean isInUse = refused.reason() == StoreDirectoryException.Reason.LOCKED;
            throw new ToolException(
                    isInUse ? ExitStatus.IN_USE : ExitStatus.FAILED,
                    refused.getMessage() + (isInUse ? ". Nothing was accepted: end that process first" : ""),
                    refused);
        }
    }

    private ExitStatus accept(RemoteLog log) {
        String place = "the log of node=" + log.configuration().get(StoreOption.NODE_ID);
        List<NoticedLoss> losses = known(place, MarkedLoss.in(log));
        log.logs().acceptLosses(log.configuration(), losses, reason.orElseThrow(), System.getProperty(USER));
        accepted(place, losses, "the table tallystick_loss");
        return ExitStatus.OK;
    }

    /**
     * Shows the losses.
     *
     * @throws ToolException there are none, or no reason was given
     */
    private List<NoticedLoss> known(String place, List<NoticedLoss> losses) {
        if (losses.isEmpty()) {
            throw new ToolException(
                    ExitStatus.NEGATIVE,
                    place + " has no marked loss, so there is nothing to accept; nothing was changed");
        }
        if (!output().isJson()) {
            for (NoticedLoss loss : losses) {
                output().line("missing=%s", Escaped.message(loss.missing()));
                output().line("noticed=%s by %s", Escaped.message(loss.noticed()), Escaped.message(loss.owner()));
            }
        }
        if (reason.isEmpty()) {
            throw new ToolException(
                    ExitStatus.REFUSED,
                    place + " lacks what was acknowledged (" + losses.get(0).missing()
                            + "). Bring it back if you can; then give --reason TEXT to accept what is missing, or to"
                            + " say that all is back. Nothing was changed");
        }
        return losses;
    }

    private void accepted(String place, List<NoticedLoss> losses, String history) {
        if (output().isJson()) {
            JsonArray each = Json.array();
            losses.forEach(loss -> each.add(new JsonObject()
                    .add("missing", loss.missing())
                    .add("noticed", loss.noticed())
                    .add("owner", loss.owner())));
            output().json(Json.object()
                    .add("accepted", each)
                    .add("reason", reason.orElseThrow())
                    .add("next", NEXT));
        } else {
            output().line("accepted=%d, kept in %s", losses.size(), Escaped.place(history));
            output().line("%s", NEXT);
        }
        output().remark("%s", Escaped.message(place + " opens again"));
    }
}
