package io.tallystick.tool.command;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipFile;

/** Jars and directories of classes that the command line names, separated as on Java's class path. */
public final class JarPath {
    private JarPath() {}

    /**
     * Where a class loader finds them.
     *
     * @throws IllegalArgumentException one of them is not there, or cannot be read
     */
    public static URL[] urls(String path) {
        List<URL> urls = new ArrayList<>();
        for (String name : path.split(File.pathSeparator, -1)) {
            try {
                Path entry = Path.of(name);
                if (name.isBlank() || !isClasses(entry)) {
                    throw new IllegalArgumentException("'" + name
                            + "' is no jar that can be read; name jars or directories of classes, separated by '"
                            + File.pathSeparator + "'");
                }
                urls.add(entry.toUri().toURL());
            } catch (InvalidPathException | MalformedURLException bad) {
                throw new IllegalArgumentException("'" + name + "' is no path: " + bad.getMessage(), bad);
            }
        }
        return urls.toArray(URL[]::new);
    }

    private static boolean isClasses(Path entry) {
        if (Files.isDirectory(entry)) {
            return true;
        }
        try (ZipFile jar = new ZipFile(entry.toFile())) {
            return jar.size() > 0;
        } catch (IOException none) {
            return false;
        }
    }
}
