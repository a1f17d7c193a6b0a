package io.tallystick.tool.repair;

import com.eclipsesource.json.Json;
import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.storage.StorePlace;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.OwnerOption;
import io.tallystick.tool.command.Progress;
import io.tallystick.tool.command.StoreAccess;
import io.tallystick.tool.command.StoreAt;
import io.tallystick.tool.command.StoreCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Makes the place of a copied store its home. */
@Command(
        name = "accept-copy",
        description = {
            "Let a node open a copy of its store's directory (TALLY0022). Before that, end the process on the original"
                    + " for good: two processes with the same transactions decide them differently.",
            ""
        })
public final class AcceptCopyCommand extends StoreCommand {
    private static final int MOST_REASON_CHARS = 300;

    @Option(
            names = "--reason",
            required = true,
            paramLabel = "TEXT",
            description = "why the original cannot run any more, at most " + MOST_REASON_CHARS
                    + " characters; it stays beside the store")
    private String reason;

    @Mixin
    private OwnerOption owner;

    @Override
    protected ExitStatus run() throws IOException {
        if (reason.isBlank() || reason.length() > MOST_REASON_CHARS) {
            throw new ParameterException(
                    spec().commandLine(),
                    "--reason is empty or has more than " + MOST_REASON_CHARS + " characters; say in a sentence why the"
                            + " original cannot run any more");
        }
        find(); // refuses what is no store, before anything is made there
        StoreAccess access = owner.accessTo(directory());
        // The claim makes sure that no process has the store, and that none takes it meanwhile.
        try (Progress progress = output().progress("accepting");
                Repair claim = Repair.of(access, directory(), false, progress)) {
            claim.checkNoExchange();
            StoreAt store = StoreAt.find(directory(), access.disk());
            return accept(access.disk(), store.directory(), store.identity());
        }
    }

    private ExitStatus accept(Disk disk, Path directory, StoreIdentity store) throws IOException {
        Optional<String> before = StorePlace.remarkOn(disk, directory, store);
        if (before.isPresent()) {
            StorePlace.accept(disk, directory, store, Instant.now() + " " + reason.strip() + "; " + before.get());
        }
        if (output().isJson()) {
            output().json(Json.object()
                    .add("directory", directory.toString())
                    .add("accepted", before.isPresent())
                    .add("before", before.orElse("")));
        } else {
            output().line(
                            "accepted=%s directory=%s; %s",
                            before.isPresent(),
                            Escaped.place(directory.toString()),
                            before.map(place -> "it was " + Escaped.message(place))
                                    .orElse("it is where the store was made, and nothing was changed"));
        }
        return ExitStatus.OK;
    }
}
