package io.tallystick.durability.surroundings;

import io.tallystick.durability.system.Directories;
import io.tallystick.durability.system.LoopVolume;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Collectors;

/** The class path of this process, copied where another user cannot read it. */
final class ReachableClasses {
    private ReachableClasses() {}

    /**
     * The class path for processes of any user.
     *
     * @param copies an empty directory that the other user reaches
     */
    static String classPath(Machine machine, Path copies) throws IOException {
        List<Path> entries = entries();
        if (!machine.canChangeUser() || isReadable(entries)) {
            return joined(entries);
        }
        List<Path> copied = new ArrayList<>();
        for (Path entry : entries) {
            Path copy = copies.resolve(copied.size() + "-" + entry.getFileName());
            if (Files.isDirectory(entry)) {
                Directories.copy(entry, copy);
            } else {
                Files.copy(entry, copy);
            }
            copied.add(copy);
        }
        LoopVolume.run(List.of("chmod", "-R", "a+rX", copies.toString()));
        return joined(copied);
    }

    private static boolean isReadable(List<Path> entries) {
        List<String> command = new ArrayList<>(Machine.asOtherUser());
        command.addAll(List.of("sh", "-c", "for entry; do test -r \"$entry\" || exit 1; done", "sh"));
        entries.forEach(entry -> command.add(entry.toString()));
        try {
            LoopVolume.run(command);
            return true;
        } catch (IOException unreadable) {
            return false;
        }
    }

    private static String joined(List<Path> entries) {
        return entries.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    /** The entries, with those that manifests of archives name. */
    private static List<Path> entries() throws IOException {
        Set<Path> entries = new LinkedHashSet<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            add(Path.of(entry).toAbsolutePath(), entries);
        }
        return List.copyOf(entries);
    }

    private static void add(Path entry, Set<Path> entries) throws IOException {
        if (!Files.exists(entry) || !entries.add(entry) || Files.isDirectory(entry)) {
            return;
        }
        try (JarFile archive = new JarFile(entry.toFile())) {
            Manifest manifest = archive.getManifest();
            String more = manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            if (more != null) {
                for (String relative : more.strip().split("\\s+")) {
                    URI place = entry.toUri().resolve(relative);
                    add(Path.of(place), entries);
                }
            }
        }
    }
}
