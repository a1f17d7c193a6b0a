package io.tallystick.durability.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The system calls by which a store changed its files in one undisturbed run, as {@code strace} saw them.
 *
 * @param most for each call, its number in the thread that made it most often
 * @param syncs number of {@code fsync} and {@code fdatasync} calls in all threads
 * @param files the files that were opened or written
 */
public record SystemCalls(Map<String, Integer> most, long syncs, Set<String> files) {
    /** The calls that change files. Of these a JVM itself makes only those of {@link #OF_JVM_TOO}. */
    static final List<String> OBSERVED = List.of(
            "write",
            "openat",
            "pwrite64",
            "fdatasync",
            "fsync",
            "io_submit",
            "io_uring_enter",
            "rename",
            "unlink",
            "mkdir");

    /** Calls that only count if they concern files of the store. */
    static final Set<String> OF_JVM_TOO = Set.of("write", "openat");

    private static final Pattern LINE = Pattern.compile("^(\\d+) +(?:[0-9.]+ +)?([a-z_0-9]+)\\((.*)");
    private static final Pattern DESCRIPTOR = Pattern.compile("^\\d+<([^>]*)>");
    private static final Pattern PATH = Pattern.compile("\"([^\"]*)\"");

    /** Options of {@code strace} that record what {@link #read} reads. */
    public static List<String> recording(Path trace) {
        return List.of(
                "strace",
                "-f",
                "-qq",
                "-y",
                "--seccomp-bpf",
                "-o",
                trace.toString(),
                "-e",
                "trace=" + String.join(",", OBSERVED));
    }

    /** The calls of a recording that concern files below this directory. */
    public static SystemCalls read(Path trace, Path directory) throws IOException {
        Map<String, Map<String, Integer>> byThread = new TreeMap<>();
        Set<String> files = new TreeSet<>();
        long syncs = 0;
        for (String line : Files.readAllLines(trace)) {
            Matcher call = LINE.matcher(line);
            if (!call.find() || !OBSERVED.contains(call.group(2))) {
                continue;
            }
            String name = call.group(2);
            if (OF_JVM_TOO.contains(name)) {
                Matcher file = (name.equals("write") ? DESCRIPTOR : PATH).matcher(call.group(3));
                if (!file.find() || !file.group(1).startsWith(directory.toString())) {
                    continue;
                }
                files.add(file.group(1));
            }
            if (name.endsWith("sync")) {
                syncs++;
            }
            byThread.computeIfAbsent(name, each -> new TreeMap<>()).merge(call.group(1), 1, Integer::sum);
        }
        Map<String, Integer> most = new TreeMap<>();
        byThread.forEach((name, counts) -> most.put(
                name, counts.values().stream().mapToInt(Integer::intValue).max().orElse(0)));
        return new SystemCalls(most, syncs, files);
    }

    /** The faults of each call, as options of {@code strace}. */
    static List<String> waysOf(String call) {
        List<String> ways = new ArrayList<>(List.of("signal=SIGKILL"));
        switch (call) {
            case "write", "pwrite64", "rename", "mkdir" -> ways.addAll(List.of("error=EIO", "error=ENOSPC"));
            case "openat" -> ways.addAll(List.of("error=EIO", "error=EMFILE"));
            case "io_submit", "io_uring_enter" -> ways.addAll(List.of("error=EAGAIN", "error=EIO"));
            default -> ways.add("error=EIO");
        }
        return ways;
    }
}
