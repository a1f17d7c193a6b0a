package io.tallystick.benchmarks.subject;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The library that Artemis' AIO needs. Its jar contains it and never unpacks it, so that applications with the journal
 * do not get AIO. Here it is unpacked, so that the peer is measured at its best.
 */
public final class NativeLibrary {
    private static final String FILE_NAME = "libartemis-native-64.so";
    private static final String RESOURCE = "lib/linux-x86_64/" + FILE_NAME;

    private NativeLibrary() {}

    public static Path in(Path directory) {
        return directory.resolve(FILE_NAME);
    }

    /**
     * Writes the library into {@code directory}, which exists.
     *
     * @throws IOException there is none for this platform, or it cannot be written
     */
    public static void unpack(Path directory) throws IOException {
        String platform = System.getProperty("os.name") + " " + System.getProperty("os.arch");
        if (!platform.toLowerCase(Locale.ROOT).matches("linux (amd64|x86_64)")) {
            throw new IOException("artemis-native has no library for " + platform);
        }
        try (InputStream library = NativeLibrary.class.getClassLoader().getResourceAsStream(RESOURCE)) {
            if (library == null) {
                throw new IOException("artemis-native is not on the class path");
            }
            Files.copy(library, in(directory));
        }
    }
}
