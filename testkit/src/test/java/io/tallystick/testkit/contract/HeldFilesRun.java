package io.tallystick.testkit.contract;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Holds every file below a directory of Windows open, as a virus scanner does that lets nobody rename them. Prints
 * {@code held N}, and ends when another file appears. {@code .ci/wine} meanwhile runs commands that exchange the files.
 */
public final class HeldFilesRun {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(5);

    private HeldFilesRun() {}

    /** The directory, and the file that ends it. */
    public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
        Path end = Path.of(arguments[1]);
        List<FileChannel> held = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of(arguments[0]))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                held.add(FileChannel.open(file, Set.of(StandardOpenOption.READ, keepingItsName())));
            }
        }
        System.out.println("held " + held.size());
        long begun = System.nanoTime();
        while (!Files.exists(end) && System.nanoTime() - begun < LONGEST_NANOS) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
        for (FileChannel file : held) {
            file.close();
        }
    }

    /** An option that the JDK knows on Windows alone, and javac warns of. */
    private static OpenOption keepingItsName() throws ReflectiveOperationException {
        return (OpenOption) Class.forName("com.sun.nio.file.ExtendedOpenOption")
                .getField("NOSHARE_DELETE")
                .get(null);
    }
}
