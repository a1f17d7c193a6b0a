package io.tallystick.tool.repair;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import io.tallystick.storage.Disk;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.DirectoryTrees;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.Manifest;
import io.tallystick.tool.command.Output;
import io.tallystick.tool.command.OwnerOption;
import io.tallystick.tool.command.Progress;
import io.tallystick.tool.command.StoreAccess;
import io.tallystick.tool.command.StoreCommand;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The files that repairs have put aside. */
@Command(
        name = "quarantine",
        description = {"List the files that repairs have put aside, or put them back.", ""},
        subcommands = {QuarantineCommand.ListQuarantine.class, QuarantineCommand.RestoreQuarantine.class})
public final class QuarantineCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Mixin
    private Output output;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "print this help and end")
    private boolean help;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "give 'quarantine list' or 'quarantine restore'");
    }

    /** The entries. */
    @Command(
            name = "list",
            description = {"List the files that repairs have put aside, and why.", ""})
    static final class ListQuarantine extends StoreCommand {
        @Override
        protected ExitStatus run() throws IOException {
            StoreAccess.SYSTEM.checkStore(directory());
            JsonArray entries = Json.array();
            List<StoreSwap.QuarantinedFiles> all =
                    new StoreSwap(new SystemDisk(), directory().toRealPath()).aside();
            if (all.isEmpty() && !output().isJson()) {
                output().remark(
                                "%s",
                                Escaped.message("directory=" + directory().toRealPath()
                                        + " has no quarantined files: no repair has put any aside"));
            }
            for (StoreSwap.QuarantinedFiles aside : all) {
                long bytes = aside.manifest().entries().stream()
                        .mapToLong(Manifest.Entry::bytes)
                        .sum();
                int files = aside.manifest().entries().size();
                if (output().isJson()) {
                    JsonObject fields = Json.object();
                    aside.manifest().fields().forEach(fields::add);
                    entries.add(Json.object()
                            .add("name", aside.name())
                            .add("files", files)
                            .add("bytes", bytes)
                            .add("fields", fields));
                } else {
                    output().line("%s files=%d bytes=%d", Escaped.of(aside.name()), files, bytes);
                    aside.manifest().fields().forEach((key, value) -> output().line(
                                    "  %s=%s", key, Escaped.message(value)));
                }
            }
            if (output().isJson()) {
                output().json(Json.object().add("quarantine", entries));
            }
            return ExitStatus.OK;
        }
    }

    /** Puts quarantined files back. */
    @Command(
            name = "restore",
            description = {
                "Put files that a repair has put aside back in their place. The present files are put aside instead.",
                ""
            })
    static final class RestoreQuarantine extends StoreCommand {
        @Parameters(index = "1", paramLabel = "NAME", description = "a name that 'quarantine list' prints")
        private String name;

        @Mixin
        private OwnerOption owner;

        @Override
        protected ExitStatus run() throws IOException {
            StoreAccess.SYSTEM.checkStore(directory());
            StoreAccess access = owner.accessTo(directory());
            try (Progress progress = output().progress("restoring");
                    Repair repair = Repair.of(access, directory(), false, progress)) {
                repair.finishEarlier();
                StoreSwap.QuarantinedFiles wanted = repair.swap().aside().stream()
                        .filter(aside -> aside.name().equals(name))
                        .findFirst()
                        .orElseThrow(() -> new ToolException(
                                ExitStatus.NEGATIVE,
                                "directory=" + directory().toAbsolutePath().normalize() + " has no quarantined files '"
                                        + Escaped.of(name) + "'; 'tallystick quarantine list' has the names"));
                StoreInspection now = repair.inspection();
                StoreSwap.QuarantinedFiles aside = repair.replace(
                        Optional.of(now),
                        Instant.now(),
                        made -> copyAll(access.disk(), repair.swap().filesOf(name), wanted.manifest(), made));
                if (output().isJson()) {
                    output().json(Json.object().add("restored", name).add("quarantine", aside.name()));
                } else {
                    output().line("restored=%s; the files in its place are now in quarantine=%s", name, aside.name());
                }
            }
            return ExitStatus.OK;
        }

        private static void copyAll(Disk disk, Path source, Manifest manifest, Path target) throws IOException {
            for (Manifest.Entry entry : manifest.entries()) {
                Path from = source.resolve(entry.path());
                if (!Manifest.entryOf(disk, source, from).equals(entry)) {
                    throw new ToolException(
                            ExitStatus.NEGATIVE,
                            "file=" + from + " has changed since it was put aside: its size or its checksum differs;"
                                    + " nothing was changed");
                }
                Path to = target.resolve(entry.path());
                DirectoryTrees.make(disk, to.getParent());
                DirectoryTrees.copy(disk, from, to);
            }
        }
    }
}
