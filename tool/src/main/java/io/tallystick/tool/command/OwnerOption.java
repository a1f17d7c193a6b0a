package io.tallystick.tool.command;

import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The option of every command that writes to a directory, and its way there. */
public final class OwnerOption {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=,@%+-]+");
    private static final String URL_PREFIX = "jdbc:";

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--as-owner",
            description = "as root, work in a directory of another user; each new file gets that owner")
    private boolean isAsOwner;

    @Option(
            names = "--trust-group",
            description = "work in directories that their group can write to, as on a volume with Kubernetes' fsGroup")
    private boolean isGroupTrusted;

    /** For picocli. */
    public OwnerOption() {}

    /**
     * The way to a directory that the command writes to.
     *
     * @throws ToolException {@link WriteAccess} refuses the directory, or it is a backup; nothing was changed
     */
    public StoreAccess accessTo(Path directory) throws IOException {
        BackupPlace.checkOutside(new SystemDisk(), directory);
        return WriteAccess.to(directory, WriteAccess.isRoot(), isAsOwner, isGroupTrusted, commandLine());
    }

    /** The command line for the owner to type, without options that may have a password. */
    private String commandLine() {
        List<String> words = spec.root().commandLine().getParseResult().originalArgs();
        return ToolCommand.NAME + " " + words.stream().map(OwnerOption::shown).collect(Collectors.joining(" "));
    }

    /** The word as a user types it, without an address that may have a password. */
    static String shown(String word) {
        int url = word.indexOf(URL_PREFIX); // also --url=jdbc:...
        return url < 0 ? quoted(word) : word.substring(0, url) + "JDBC-URL";
    }

    private static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
