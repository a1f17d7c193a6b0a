package io.tallystick.wildfly;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** Archives for the server: written from the classes of these tests, and unpacked as a user would. */
final class Zip {
    private Zip() {}

    /** A class and the classes within it that are compiled to files of their own. */
    static List<Class<?>> classesOf(Class<?> type) {
        return Stream.<Class<?>>concat(Stream.of(type), Arrays.stream(type.getDeclaredClasses()))
                .toList();
    }

    /** Writes an archive with classes below a prefix, such as {@code WEB-INF/classes/}. */
    static Path write(Path file, String prefix, List<Class<?>> classes) throws IOException {
        Files.createDirectories(file.getParent());
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            for (Class<?> type : classes) {
                String name = type.getName().replace('.', '/') + ".class";
                zip.putNextEntry(new ZipEntry(prefix + name));
                try (InputStream bytes = type.getClassLoader().getResourceAsStream(name)) {
                    bytes.transferTo(zip);
                }
                zip.closeEntry();
            }
        }
        return file;
    }

    /** Unpacks an archive over a directory. */
    static void unpack(Path file, Path directory) {
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(file))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path target = directory.resolve(entry.getName()).normalize();
                if (!target.startsWith(directory)) {
                    throw new IllegalStateException(entry.getName() + " leaves the archive");
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(target);
                } else {
                    Files.createDirectories(target.getParent());
                    Files.copy(zip, target, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
