package io.tallystick.tool;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import io.tallystick.storage.DiskRemedy;
import io.tallystick.storage.Mount;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.Progress;
import io.tallystick.tool.command.ToolCommand;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Measures the syncs of a directory's disk. */
@Command(
        name = "probe-disk",
        description = {
            "Measure the syncs of a directory's disk: which ways to the disk work, how long they take, and whether"
                    + " the sync"
                    + " is likely to be honoured. Writes to a file without a name, which leaves nothing on the disk.",
            ""
        })
final class ProbeDiskCommand extends ToolCommand {
    /** No known disk syncs in less time, unless it has a cache that outlives a power cut. */
    static final long IMPLAUSIBLE_NANOS = 10_000;

    @Parameters(index = "0", paramLabel = "DIRECTORY", description = "an existing directory on the disk to measure")
    private Path directory;

    @Option(
            names = "--millis",
            paramLabel = "N",
            description = "how long to try each way, milliseconds (default: ${DEFAULT-VALUE})")
    private long millis = 500;

    @Override
    protected ExitStatus run() throws IOException {
        checkPositive("--millis", millis);
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            throw new ToolException(
                    ExitStatus.USAGE,
                    "directory=" + directory.toAbsolutePath() + " is not an existing directory; give one on the disk in"
                            + " question");
        }
        Mount mount = Mount.of(directory);
        List<SyncTrial> trials = new ArrayList<>();
        try (Progress progress = output().progress("trying")) {
            for (String way : SyncTrial.WAYS) {
                progress.at(trials.size(), SyncTrial.WAYS.size(), "ways");
                trials.add(trial(way));
            }
        }
        Verdict verdict = verdict(mount, trials);
        if (output().isJson()) {
            output().json(json(mount, trials, verdict));
        } else {
            print(mount, trials, verdict);
        }
        return verdict.isHonoured ? ExitStatus.OK : ExitStatus.NEGATIVE;
    }

    private SyncTrial trial(String way) throws IOException {
        try {
            return SyncTrial.of(way, directory, TimeUnit.MILLISECONDS.toNanos(millis));
        } catch (AccessDeniedException denied) {
            throw denied;
        } catch (IOException failed) {
            throw new ToolException(
                    ExitStatus.FAILED,
                    "directory=" + directory.toAbsolutePath().normalize() + ": a trial write failed ("
                            + failed.getMessage() + "); " + DiskRemedy.of(failed) + " for a file of 1 MiB",
                    failed);
        }
    }

    /** The verdict on the sync. */
    record Verdict(boolean isHonoured, String reason) {}

    /**
     * Only a power cut can prove that a sync is honoured. Three facts show that it is not: a file system in memory,
     * mount options, and a sync that is quicker than any disk.
     */
    static Verdict verdict(Mount mount, List<SyncTrial> trials) {
        if (mount.isMemory()) {
            return new Verdict(false, "no: the file system is memory");
        }
        if (mount.options().matches("(.*,)?(nobarrier|barrier=0)(,.*)?")) {
            return new Verdict(false, "no: the file system is mounted without barriers");
        }
        for (SyncTrial trial : trials) {
            long half = trial.durable().getValueAtPercentile(50);
            if (trial.isAvailable() && half < IMPLAUSIBLE_NANOS) {
                return new Verdict(
                        false,
                        String.format(
                                Locale.ROOT,
                                "hardly: %s takes %.1f us, less than a disk needs; only a cache that outlives a"
                                        + " power cut"
                                        + " would be that quick",
                                trial.io(),
                                half / 1e3));
            }
        }
        return new Verdict(true, "likely: no sign against it; only a power cut can prove it");
    }

    private void print(Mount mount, List<SyncTrial> trials, Verdict verdict) {
        output().line(
                        "file system  %s%s",
                        mount.type(), mount.point().isEmpty() ? "" : " mounted at " + Escaped.place(mount.point()));
        if (!mount.source().isEmpty()) {
            output().line("device       %s (%s)", Escaped.of(mount.source()), Escaped.of(mount.options()));
        }
        output().line("write cache  %s", mount.writeCache().orElse("not known"));
        for (SyncTrial trial : trials) {
            if (trial.isAvailable()) {
                output().line(
                                "%-12s %s%s",
                                trial.io(),
                                latency("durable write", trial.durable()),
                                trial.plain().getTotalCount() == 0
                                        ? ""
                                        : String.format(
                                                Locale.ROOT,
                                                "; write without sync p50 %.1f us",
                                                trial.plain().getValueAtPercentile(50) / 1e3));
            } else {
                output().line(
                                "%-12s not available: %s",
                                trial.io(), Escaped.message(trial.unavailable().get()));
            }
        }
        output().line("honoured     %s", verdict.reason);
        mount.warnings().forEach(warning -> output().line("warning      %s", Escaped.message(warning)));
    }

    private static String latency(String what, Histogram nanos) {
        return String.format(
                Locale.ROOT,
                "%s p50 %.1f us, p99 %.1f us, max %.1f us, %,.0f a second",
                what,
                nanos.getValueAtPercentile(50) / 1e3,
                nanos.getValueAtPercentile(99) / 1e3,
                nanos.getMaxValue() / 1e3,
                nanos.getTotalCount() == 0 ? 0 : 1e9 / nanos.getMean());
    }

    private static JsonObject json(Mount mount, List<SyncTrial> trials, Verdict verdict) {
        JsonArray ways = Json.array();
        for (SyncTrial trial : trials) {
            JsonObject way = Json.object().add("io", trial.io()).add("works", trial.isAvailable());
            trial.unavailable().ifPresent(why -> way.add("reason", why));
            if (trial.isAvailable()) {
                way.add("durableWrite", nanos(trial.durable()));
            }
            if (trial.plain().getTotalCount() > 0) {
                way.add("plainWrite", nanos(trial.plain()));
            }
            ways.add(way);
        }
        JsonArray warnings = Json.array();
        mount.warnings().forEach(warnings::add);
        return Json.object()
                .add("fileSystem", mount.type())
                .add("mountPoint", mount.point())
                .add("device", mount.source())
                .add("mountOptions", mount.options())
                .add("writeCache", mount.writeCache().orElse(""))
                .add("ways", ways)
                .add("syncLikelyHonoured", verdict.isHonoured)
                .add("verdict", verdict.reason)
                .add("warnings", warnings);
    }

    private static JsonObject nanos(Histogram nanos) {
        return Json.object()
                .add("count", nanos.getTotalCount())
                .add("p50Nanos", nanos.getValueAtPercentile(50))
                .add("p99Nanos", nanos.getValueAtPercentile(99))
                .add("maxNanos", nanos.getMaxValue());
    }
}
