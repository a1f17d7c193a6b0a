package io.tallystick.durability.system;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A fault in one system call.
 *
 * @param call the name of the call; {@code fdatasync} includes {@code fsync}
 * @param way the fault, as an option of {@code strace}
 * @param index number of the call in its thread, from 1
 * @param forEver whether all later calls fail too
 */
public record SyscallFault(String call, String way, int index, boolean forEver) {
    /** A fault at random among those that can happen in such a run. */
    public static SyscallFault random(Random random, SystemCalls seen) {
        List<String> calls = new ArrayList<>(seen.most().keySet());
        String call = calls.get(random.nextInt(calls.size()));
        List<String> ways = SystemCalls.waysOf(call);
        String way = ways.get(random.nextInt(ways.size()));
        int index = 1 + random.nextInt(seen.most().get(call));
        return new SyscallFault(call, way, index, way.startsWith("error") && random.nextBoolean());
    }

    public boolean isSync() {
        return call.endsWith("sync");
    }

    /** Whether it kills the process at the call, which then has no effect. */
    public boolean isKill() {
        return way.startsWith("signal");
    }

    /** The command to put before that of the process. */
    public List<String> command(Path trace, SystemCalls seen) {
        String calls = isSync() ? "fsync,fdatasync" : call;
        List<String> command =
                new ArrayList<>(List.of("strace", "-f", "-qq", "-ttt", "-o", trace.toString(), "-e", "trace=" + calls));
        if (!isKill()) {
            // Much faster, but a signal that is sent where the filter stops a call is lost.
            command.add("--seccomp-bpf");
        }
        if (SystemCalls.OF_JVM_TOO.contains(call)) {
            // Restricted to the store's files: the process writes to others too, such as the pipe for its answers.
            seen.files().forEach(file -> command.addAll(List.of("-P", file)));
        }
        command.addAll(List.of("-e", "inject=" + calls + ":" + way + ":when=" + index + (forEver ? "+" : "")));
        return command;
    }

    @Override
    public String toString() {
        return call + " " + way + " when=" + index + (forEver ? "+" : "");
    }
}
