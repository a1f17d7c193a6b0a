package io.tallystick.durability.system;

import java.io.IOException;
import java.util.List;

/** Signals to processes that run stores. */
public final class Signals {
    private Signals() {}

    /** Sends a signal, such as {@code STOP}, to a process that lives. */
    public static void send(String name, Process process) throws IOException {
        LoopVolume.run(List.of("kill", "-" + name, String.valueOf(process.pid())));
    }
}
