package io.tallystick.tool.command;

import io.tallystick.narayana.logs.SettledTrail;
import io.tallystick.storage.Disk;
import io.tallystick.storage.SmallFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The files that tell recovery which branches to leave alone. They lie beside a log, in its quarantine. */
public final class ForgottenFiles {
    private static final Pattern KEPT = Pattern.compile(".*-forget-[-0-9a-f_]+\\.jsonl");

    private static final int MOST_BYTES = 256 * 1024 * 1024;

    private ForgottenFiles() {}

    /**
     * What to do about those in the quarantine of a log that is copied; empty if there are none.
     *
     * @throws IOException the quarantine cannot be read
     */
    public static Optional<String> leftIn(Disk disk, Path quarantine) throws IOException {
        if (disk.kindOf(quarantine) != Disk.PathKind.DIRECTORY) {
            return Optional.empty();
        }
        return disk.list(quarantine).stream().anyMatch(ForgottenFiles::isOne)
                ? Optional.of("records were forgotten or settled by hand, and what tells of them does not go along:"
                        + " copy " + SettledTrail.FILE_NAME + " and *-forget-*.jsonl into "
                        + SettledTrail.directoryIn(Path.of("")) + " of the new store (or tallystick.indoubt.keep-in, of"
                        + " a log in a database) before its node starts; otherwise recovery rolls back branches that it"
                        + " left alone")
                : Optional.empty();
    }

    private static boolean isOne(Path file) {
        String name = file.getFileName().toString();
        return name.equals(SettledTrail.FILE_NAME) || KEPT.matcher(name).matches();
    }

    /**
     * Copies those of one quarantine into another one; they are on disk when the call returns. It may be repeated. A
     * trail that is there keeps its lines, and gets those that it lacks.
     *
     * @param from may be missing
     * @param into is made if it is needed
     * @return the number of files
     * @throws IOException one cannot be read or written
     * @throws ToolException a file there has the name of one of these and other bytes
     */
    public static int copy(Disk disk, Path from, Disk other, Path into) throws IOException {
        if (disk.kindOf(from) != Disk.PathKind.DIRECTORY) {
            return 0;
        }
        int copied = 0;
        for (Path file : disk.list(from).stream().filter(ForgottenFiles::isOne).toList()) {
            DirectoryTrees.make(other, into);
            copy(SmallFile.read(disk, file, MOST_BYTES).orElse(new byte[0]), other, into.resolve(file.getFileName()));
            copied++;
        }
        return copied;
    }

    private static void copy(byte[] bytes, Disk disk, Path target) throws IOException {
        Optional<byte[]> there = SmallFile.read(disk, target, MOST_BYTES);
        if (there.filter(old -> Arrays.equals(old, bytes)).isPresent()) {
            return;
        }
        if (there.isPresent() && !target.endsWith(SettledTrail.FILE_NAME)) {
            throw new ToolException(
                    ExitStatus.REFUSED,
                    "file=" + target + " differs from the kept record of the same name that is to be copied there;"
                            + " move it away");
        }
        SmallFile.replace(disk, target, there.map(old -> both(old, bytes)).orElse(bytes));
    }

    private static byte[] both(byte[] old, byte[] more) {
        Set<String> lines = new LinkedHashSet<>(
                new String(old, StandardCharsets.UTF_8).lines().toList());
        lines.addAll(new String(more, StandardCharsets.UTF_8).lines().toList());
        return (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
    }
}
