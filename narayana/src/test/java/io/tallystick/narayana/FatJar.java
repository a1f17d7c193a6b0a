package io.tallystick.narayana;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.springframework.boot.loader.launch.PropertiesLauncher;

/** A jar as Spring Boot makes it: its loader's classes, and the application's jars whole in {@code BOOT-INF/lib}. */
final class FatJar {
    /** The loader's class that starts what {@code loader.main} names. */
    static final String LAUNCHER = PropertiesLauncher.class.getName();

    private FatJar() {}

    /** Makes one in the directory, with the module of this class in it. */
    static Path of(Path directory, Class<?> type) throws IOException {
        Path jar = directory.resolve("app.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            add(
                    zip,
                    "META-INF/MANIFEST.MF",
                    "Manifest-Version: 1.0\nMain-Class: %s\n"
                            .formatted(LAUNCHER)
                            .getBytes());
            try (ZipInputStream loader = new ZipInputStream(Files.newInputStream(placeOf(PropertiesLauncher.class)))) {
                for (ZipEntry entry = loader.getNextEntry(); entry != null; entry = loader.getNextEntry()) {
                    if (entry.getName().endsWith(".class")) {
                        add(zip, entry.getName(), loader.readAllBytes());
                    }
                }
            }
            zip.putNextEntry(new ZipEntry("BOOT-INF/"));
            zip.putNextEntry(new ZipEntry("BOOT-INF/lib/"));
            add(zip, "BOOT-INF/lib/application.jar", jarOf(placeOf(type)));
        }
        return jar;
    }

    private static Path placeOf(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static byte[] jarOf(Path place) throws IOException {
        if (!Files.isDirectory(place)) {
            return Files.readAllBytes(place);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (Stream<Path> files = Files.walk(place)) {
            jar(place, files.filter(Files::isRegularFile).toList(), bytes);
        }
        return bytes.toByteArray();
    }

    private static void jar(Path root, List<Path> files, OutputStream into) throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(into)) {
            for (Path file : files) {
                add(zip, root.relativize(file).toString(), Files.readAllBytes(file));
            }
        }
    }

    // Not compressed: the loader reads a jar within a jar only so.
    private static void add(ZipOutputStream zip, String name, byte[] bytes) throws IOException {
        ZipEntry entry = new ZipEntry(name);
        CRC32 sum = new CRC32();
        sum.update(bytes);
        entry.setMethod(ZipEntry.STORED);
        entry.setSize(bytes.length);
        entry.setCrc(sum.getValue());
        zip.putNextEntry(entry);
        zip.write(bytes);
        zip.closeEntry();
    }
}
