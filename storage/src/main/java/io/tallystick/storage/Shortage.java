package io.tallystick.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tells a disk that has no room from one that is broken. A used-up quota is a lack of room, too.
 *
 * <p>Java hides the number of a system call's error. It gives the text of the C library, in the language of the
 * process. So the texts are learnt once. A write to {@code /dev/full} always fails for lack of room, and shows the text
 * of this process. If that is no English text, the catalogue of translations with the same text also has the text for a
 * used-up quota. Without {@code /dev/full} the texts of all catalogues count. Native devices know the number ({@link
 * SystemErrorException}).
 */
public final class Shortage {
    // Linux, on every processor that native devices work on.
    private static final int ENOSPC = 28;
    private static final int EDQUOT = 122;

    private static final String NO_SPACE = "No space left on device";
    private static final String QUOTA_EXCEEDED = "Disk quota exceeded";

    // The texts of glibc, musl, macOS, AIX and Windows; glibc's come first.
    private static final List<String> ENGLISH = List.of(
            "no space left on device",
            "quota exceeded",
            "not enough space in the file system",
            "not enough space on the disk",
            "storage quota was exceeded");

    private static final Path FULL_DEVICE = Path.of("/dev/full");
    // The second is Ubuntu's.
    private static final List<Path> CATALOGUES =
            List.of(Path.of("/usr/share/locale"), Path.of("/usr/share/locale-langpack"));
    private static final Path CATALOGUE = Path.of("LC_MESSAGES", "libc.mo");
    private static final int MAX_CATALOGUE_BYTES = 4 * 1024 * 1024;

    private static final List<String> TRANSLATED =
            SystemRules.HERE.hasUnixDevices() ? learn(new SystemDisk(), textOfFullDevice(), CATALOGUES) : List.of();

    private Shortage() {}

    /**
     * Whether the operation failed because the file system has no room left, or the user has used up a quota. False
     * means another failure, or a text that is in no catalogue of this machine.
     */
    public static boolean isShortageOfRoom(IOException error) {
        IOException first = error;
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof IOException deeper) {
                first = deeper;
            }
        }
        if (first instanceof SystemErrorException known) {
            return known.number() == ENOSPC || known.number() == EDQUOT;
        }
        // The message of a FileSystemException begins with a path, which may contain any words.
        return isShortage(
                first instanceof FileSystemException named ? named.getReason() : first.getMessage(), TRANSLATED);
    }

    /** Learns the texts now, so that judging an error later reads no file. */
    static void learn() {
        // loading this class has learnt them
    }

    /** Whether the text of an error means a lack of room, in English or in one of these translations. */
    static boolean isShortage(@Nullable String text, List<String> translated) {
        if (text == null) {
            return false;
        }
        String lower = text.toLowerCase(Locale.ROOT);
        // Loops: each opening of a store comes here, and streams cost a new process 1 ms each.
        for (String known : ENGLISH) {
            if (lower.contains(known)) {
                return true;
            }
        }
        for (String known : translated) {
            if (lower.contains(known.toLowerCase(Locale.ROOT))) {
                return true;
            }
        }
        return false;
    }

    /**
     * The texts of both errors that this process may meet in languages other than English.
     *
     * @param full the text of this process for a lack of room, if that is known
     * @param catalogues directories with a directory for each language
     */
    static List<String> learn(Disk disk, Optional<String> full, List<Path> catalogues) {
        if (full.isPresent() && isShortage(full.get(), List.of())) {
            return List.of();
        }
        List<String> all = new ArrayList<>();
        full.ifPresent(all::add);
        for (Path languages : catalogues) {
            for (Path language : listed(disk, languages)) {
                List<String> texts = textsIn(disk, language.resolve(CATALOGUE));
                all.addAll(texts);
                if (full.isPresent() && texts.contains(full.get())) {
                    return List.copyOf(texts);
                }
            }
        }
        return List.copyOf(all);
    }

    private static Optional<String> textOfFullDevice() {
        Disk disk = new SystemDisk();
        try {
            if (disk.kindOf(FULL_DEVICE) != Disk.PathKind.OTHER) {
                return Optional.empty();
            }
            try (DiskFile device = disk.open(FULL_DEVICE, OpenMode.READ_WRITE)) {
                device.write(ByteBuffer.allocate(1), 0);
                return Optional.empty();
            }
        } catch (FileSystemException refused) {
            return Optional.empty();
        } catch (IOException full) {
            String text = full.getMessage();
            return text == null || text.isBlank() ? Optional.empty() : Optional.of(text);
        }
    }

    private static List<Path> listed(Disk disk, Path directory) {
        try {
            return disk.list(directory);
        } catch (IOException none) {
            return List.of();
        }
    }

    private static List<String> textsIn(Disk disk, Path file) {
        Optional<MessageCatalogue> catalogue;
        try {
            catalogue = SmallFile.read(disk, file, MAX_CATALOGUE_BYTES).flatMap(MessageCatalogue::of);
        } catch (IOException unreadable) {
            return List.of();
        }
        List<String> texts = new ArrayList<>();
        for (String english : List.of(NO_SPACE, QUOTA_EXCEEDED)) {
            catalogue.flatMap(known -> known.translationOf(english)).ifPresent(text -> {
                texts.add(text);
                String arriving = asItArrives(text);
                if (!arriving.equals(text)) {
                    texts.add(arriving);
                }
            });
        }
        return texts;
    }

    /** The text as the process shows it: its character set may lack some characters. */
    private static String asItArrives(String text) {
        try {
            Charset charset = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
            return new String(text.getBytes(charset), charset);
        } catch (IllegalArgumentException unknown) {
            return text;
        }
    }
}
