package io.tallystick.storage;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The name of this machine, for notes that people read. */
public final class HostName {
    private static final Path KERNELS = Path.of("/proc/sys/kernel/hostname");

    private HostName() {}

    /**
     * The kernel's own answer where there is one: it needs no name server, which may take seconds, and no variable of a
     * shell. In a container it is the name of the container. {@code unknown} where there is no answer.
     */
    public static String ofThisMachine() {
        try {
            return Files.readString(KERNELS).strip();
        } catch (IOException elsewhere) {
            try {
                return InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException nameless) {
                return "unknown";
            }
        }
    }
}
