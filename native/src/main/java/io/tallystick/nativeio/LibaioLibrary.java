package io.tallystick.nativeio;

import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.Field;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.apache.activemq.artemis.nativo.jlibaio.LibaioContext;

/**
 * The native library of {@code org.apache.activemq:activemq-artemis-native}, really loaded.
 *
 * <p>That jar carries its library and never unpacks it: {@code LibaioContext} only calls {@link System#loadLibrary}. So
 * a program gets no asynchronous I/O unless it puts the library on {@code java.library.path} by hand. This class takes
 * the library out of the jar, checks that it is the known one, and loads it.
 */
public final class LibaioLibrary {
    private static final Logger LOG = System.getLogger(LibaioLibrary.class.getName());
    private static final String CONTEXT_CLASS = "org.apache.activemq.artemis.nativo.jlibaio.LibaioContext";
    private static final String JAR = "org.apache.activemq:activemq-artemis-native:2.0.0";
    private static final String RESOURCE = "lib/linux-x86_64/libartemis-native-64.so";
    private static final String FILE_NAME = "libartemis-native-64.so";
    // Of version 2.0.0, the only one since 2022. No other version was ever tried.
    private static final String SHA_256 = "ce8af8d3ce8d4705c600927cd06997e6ed524e8eb44fed68dbc1c2882ddfa2b8";
    // mkstemp's pattern of the file that the library leaves behind whenever it is loaded.
    private static final String LEFTOVER_PREFIX = "/tmp/artemisJLHandler_";

    private static final String LOGGER_FACTORY = "org.slf4j.LoggerFactory";
    // Where SLF4J 2 and SLF4J 1 find theirs.
    private static final List<String> SLF4J_PROVIDERS =
            List.of("META-INF/services/org.slf4j.spi.SLF4JServiceProvider", "org/slf4j/impl/StaticLoggerBinder.class");

    private LibaioLibrary() {}

    /**
     * Loads the library, unless it is loaded. From then on {@code LibaioContext.isLoaded()} is true for every class of
     * this class loader, so the Artemis journal uses asynchronous I/O as well.
     *
     * @return empty if it is loaded now, or a sentence with the reason and the remedy
     */
    public static synchronized Optional<String> load() {
        Optional<String> unfit = platformIsUnfitBecause();
        if (unfit.isPresent()) {
            return unfit;
        }
        try {
            requireClass(CONTEXT_CLASS, JAR);
            requireClass(LOGGER_FACTORY, "org.slf4j:slf4j-api, which " + JAR + " needs,");
            return Context.isLoaded() ? Optional.empty() : unpackAndLoad();
        } catch (ClassNotFoundException missing) {
            return Optional.of(missing.getMessage());
        } catch (IOException | LinkageError | RuntimeException failed) {
            return Optional.of("libaio's library could not be loaded: " + failed);
        }
    }

    /**
     * Why loading the library makes SLF4J complain on standard error that it has no provider: {@code LibaioContext}
     * asks it for a logger when it is initialized. Finds out without loading anything.
     *
     * @return empty if there is a provider, or no library to load
     */
    static Optional<String> speaksBecause() {
        if (!isThere(resourceOf(CONTEXT_CLASS)) || !isThere(resourceOf(LOGGER_FACTORY))) {
            return Optional.empty();
        }
        boolean hasProvider = System.getProperty("slf4j.provider") != null
                || SLF4J_PROVIDERS.stream().anyMatch(LibaioLibrary::isThere);
        return hasProvider
                ? Optional.empty()
                : Optional.of(
                        "on this JDK it needs " + JAR + ", which starts SLF4J, and SLF4J has no provider here and would"
                                + " complain on standard error. Add one, such as org.slf4j:slf4j-nop, or ask for"
                                + " tallystick.journal.io=aio by name");
    }

    /**
     * Puts the library into a directory, for a process that is started with {@code -Djava.library.path=} that
     * directory: there {@code LibaioContext} finds it by itself. A file of the same name is replaced.
     *
     * @param directory the directory; created, accessible by its owner only, if it is missing
     * @return the library's file
     * @throws IOException the library is not on the class path or not the known one, or the directory cannot be written
     */
    public static Path unpackTo(Path directory) throws IOException {
        byte[] library = verifiedLibrary();
        if (!Files.isDirectory(directory)) {
            Files.createDirectory(directory, permissions("rwx------"));
        }
        Path target = directory.resolve(FILE_NAME);
        Path unpacking = Files.createTempFile(directory, FILE_NAME, ".unpacking", permissions("rw-------"));
        try {
            Files.write(unpacking, library);
            Files.move(unpacking, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException plainly) {
            Files.move(unpacking, target, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(unpacking);
        }
        return target;
    }

    private static Optional<String> platformIsUnfitBecause() {
        String system = System.getProperty("os.name");
        String processor = System.getProperty("os.arch");
        if (!"Linux".equals(system)) {
            return Optional.of("Linux AIO exists on Linux only and this is " + system
                    + ". Use tallystick.journal.io=channel or direct");
        }
        if (!"amd64".equals(processor)) {
            return Optional.of("the jar " + JAR + " has a library for x86-64 only and this JVM is for " + processor
                    + ". Use tallystick.journal.io=direct");
        }
        return Optional.empty();
    }

    private static Class<?> requireClass(String name, String jar) throws ClassNotFoundException {
        try {
            return Class.forName(name, false, LibaioLibrary.class.getClassLoader());
        } catch (ClassNotFoundException missing) {
            throw new ClassNotFoundException(
                    "the jar " + jar + " is not on the class path (no class " + name + "). Add it", missing);
        }
    }

    private static boolean isThere(String resource) {
        ClassLoader loader = LibaioLibrary.class.getClassLoader();
        return loader != null && loader.getResource(resource) != null;
    }

    private static String resourceOf(String className) {
        return className.replace('.', '/') + ".class";
    }

    private static Optional<String> unpackAndLoad() throws IOException {
        ClassLoader ours = LibaioLibrary.class.getClassLoader();
        ClassLoader theirs = Context.classLoader();
        if (ours != theirs) {
            // System.load binds a library to its caller's class loader. A native method is looked up only in the
            // libraries of the class loader that defined its class.
            return Optional.of("the jar " + JAR + " belongs to the class loader " + theirs
                    + " and tallystick-native to "
                    + ours + ", so a library that one loads is invisible to the other. Put both jars into one class"
                    + " loader, or unpack the library with LibaioLibrary.unpackTo and start the JVM with"
                    + " -Djava.library.path");
        }
        byte[] library = verifiedLibrary();
        Path directory = Files.createTempDirectory("tallystick-native", permissions("rwx------"));
        Path file = directory.resolve(FILE_NAME);
        try {
            Files.createFile(file, permissions("rw-------"));
            Files.write(file, library, StandardOpenOption.WRITE);
            System.load(file.toString());
        } catch (UnsatisfiedLinkError refused) {
            return Optional.of(refusal(refused, directory));
        } finally {
            // A loaded library stays mapped.
            Files.deleteIfExists(file);
            Files.delete(directory);
        }
        deleteLeftover();
        return Context.announceLoaded();
    }

    private static byte[] verifiedLibrary() throws IOException {
        byte[] library;
        try (InputStream stream =
                requireClass(CONTEXT_CLASS, JAR).getClassLoader().getResourceAsStream(RESOURCE)) {
            if (stream == null) {
                throw new NoSuchFileException("the jar " + JAR + " on the class path has no " + RESOURCE);
            }
            library = stream.readAllBytes();
        } catch (ClassNotFoundException missing) {
            throw new IOException(missing.getMessage(), missing);
        }
        String digest = sha256(library);
        if (!digest.equals(SHA_256)) {
            throw new IOException("the library " + RESOURCE + " on the class path has SHA-256 " + digest
                    + " and only that of " + JAR + " is known, " + SHA_256 + ". Put that version on the class path");
        }
        return library;
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException everyPlatformHasIt) {
            throw new AssertionError(everyPlatformHasIt);
        }
    }

    private static String refusal(UnsatisfiedLinkError refused, Path directory) {
        String words = String.valueOf(refused.getMessage());
        String remedy;
        if (words.contains("libaio.so.1")) {
            remedy = "Install the package libaio1 (Debian, Ubuntu) or libaio (Fedora, RHEL, SUSE); where the package is"
                    + " libaio1t64, link libaio.so.1 to its libaio.so.1t64";
        } else if (words.contains("failed to map segment")) {
            remedy = "Set -Djava.io.tmpdir to a directory on a file system that is not mounted noexec, unlike "
                    + directory.getParent();
        } else if (words.contains("JNI version")) {
            remedy = "The library makes a file in /tmp when it is loaded: let this user write there";
        } else {
            remedy = "Use tallystick.journal.io=direct";
        }
        return "the native library of " + JAR + " does not load: " + words + ". " + remedy;
    }

    /** The library keeps the file that it made in /tmp open and needs only that, but would leave its name behind. */
    private static void deleteLeftover() {
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                Path target;
                try {
                    target = Files.readSymbolicLink(descriptor);
                } catch (NoSuchFileException closedMeanwhile) {
                    continue;
                }
                if (target.toString().startsWith(LEFTOVER_PREFIX)) {
                    Files.deleteIfExists(target);
                }
            }
        } catch (IOException harmless) {
            LOG.log(
                    Level.DEBUG,
                    "TALLY0701 an empty file " + LEFTOVER_PREFIX + "... of the native library stays behind",
                    harmless);
        }
    }

    private static FileAttribute<?> permissions(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }

    /** All uses of the optional jar's class, apart, so that the other code works without it. */
    private static final class Context {
        private static final String FORCE_SYSCALL = "org.apache.activemq.artemis.native.jlibaio.FORCE_SYSCALL";

        static boolean isLoaded() {
            return LibaioContext.isLoaded();
        }

        static ClassLoader classLoader() {
            return LibaioContext.class.getClassLoader();
        }

        /** Does the rest of LibaioContext's static initializer, as if that had loaded the library by itself. */
        static Optional<String> announceLoaded() {
            try {
                Field loaded = LibaioContext.class.getDeclaredField("loaded");
                loaded.setAccessible(true);
                loaded.setBoolean(null, true);
            } catch (ReflectiveOperationException | RuntimeException refused) {
                return Optional.of(
                        "LibaioContext of " + JAR + " cannot be told that its library is loaded: " + refused);
            }
            if (System.getProperty(FORCE_SYSCALL) != null) {
                LibaioContext.setForceSyscall(true);
            }
            return Optional.empty();
        }
    }
}
