package io.tallystick.nativeio;

import com.sun.management.OperatingSystemMXBean;
import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Measures every device that works here: durable writes of 4 KiB, one after the other within each of a few regions of
 * one file of 64 MiB, a region for each writer. Rounds of all devices alternate, so that a disk that changes its mind
 * treats them alike, and medians are printed.
 *
 * <p>Arguments: directory, rounds, milliseconds per device and round. Not a test: run its main method with the test
 * class path.
 */
final class DeviceMeasurement {
    private static final int BLOCK = 4096;
    private static final int FILE_BYTES = 64 << 20;
    private static final int[] WRITER_COUNTS = {1, 2, 4};
    private static final int CPU_TICKS_PER_SECOND = 100;

    private final Path path;
    private final long nanosPerTrial;
    private final Map<String, Writing> devices = new LinkedHashMap<>();

    private DeviceMeasurement(Path path, long nanosPerTrial) {
        this.path = path;
        this.nanosPerTrial = nanosPerTrial;
    }

    public static void main(String[] arguments) throws Exception {
        Path directory = Files.createTempDirectory(Path.of(arguments[0]), "measurement");
        DeviceMeasurement measurement = new DeviceMeasurement(
                directory.resolve("data"), TimeUnit.MILLISECONDS.toNanos(Long.parseLong(arguments[2])));
        try {
            measurement.run(directory, Integer.parseInt(arguments[1]));
        } finally {
            Files.deleteIfExists(measurement.path);
            Files.delete(directory);
        }
    }

    private void run(Path directory, int rounds) throws Exception {
        prepareFile();
        openDevices(directory);
        Map<String, List<Trial>> trials = new LinkedHashMap<>();
        for (int round = -1; round < rounds; round++) {
            for (int writers : WRITER_COUNTS) {
                for (Map.Entry<String, Writing> device : devices.entrySet()) {
                    Trial trial = trial(device.getValue(), writers);
                    if (round >= 0) {
                        trials.computeIfAbsent(device.getKey() + " x" + writers, name -> new ArrayList<>())
                                .add(trial);
                    }
                }
            }
        }
        System.out.println("java.version=" + System.getProperty("java.version") + " os.version="
                + System.getProperty("os.version") + " cores="
                + Runtime.getRuntime().availableProcessors() + " fileSystem="
                + new SystemDisk().fileSystemType(directory));
        System.out.printf(
                "%-18s %9s %9s %9s %12s %12s%n",
                "device x writers", "median/s", "min/s", "max/s", "cpu us", "machine us");
        trials.forEach(DeviceMeasurement::print);
    }

    private void prepareFile() throws IOException {
        try (DiskFile file = new SystemDisk().open(path, OpenMode.CREATE_NEW)) {
            file.writeFully(ByteBuffer.allocateDirect(FILE_BYTES), 0);
            file.force();
        }
    }

    private void openDevices(Path directory) throws IOException {
        SystemDisk system = new SystemDisk();
        DiskFile ordinary = system.open(path, OpenMode.READ_WRITE);
        devices.put("channel", (source, position) -> {
            ordinary.writeFully(source, position);
            ordinary.force();
        });
        devices.put("direct", system.open(path, OpenMode.DIRECT_SYNC)::writeFully);
        LibaioLibrary.load()
                .ifPresentOrElse(
                        reason -> System.out.println("no aio (JNI): " + reason),
                        () -> addEngine("aio (JNI)", new LibaioEngine(), directory));
        ForeignEngines.unavailableBecause()
                .ifPresentOrElse(reason -> System.out.println("no aio (FFM), no uring: " + reason), () -> {
                    addEngine("aio (FFM)", ForeignEngines.aio(), directory);
                    addEngine("uring", ForeignEngines.uring(), directory);
                });
    }

    private void addEngine(String name, Engine engine, Path directory) {
        new Probe(engine, directory)
                .unavailableBecause()
                .ifPresentOrElse(reason -> System.out.println("no " + name + ": " + reason), () -> {
                    try {
                        Disk disk = new NativeDisk(new SystemDisk(), engine);
                        devices.put(name, disk.open(path, OpenMode.DIRECT_SYNC)::writeFully);
                    } catch (IOException failed) {
                        System.out.println("no " + name + ": " + failed);
                    }
                });
    }

    private Trial trial(Writing device, int writers) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(writers);
        try {
            long processBefore = processCpuNanos();
            long machineBefore = machineCpuNanos();
            long start = System.nanoTime();
            List<Future<Long>> counts = new ArrayList<>();
            for (int writer = 0; writer < writers; writer++) {
                counts.add(threads.submit(writer(device, writer, start + nanosPerTrial)));
            }
            long count = 0;
            for (Future<Long> one : counts) {
                count += one.get();
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            return new Trial(
                    count, count / seconds, processCpuNanos() - processBefore, machineCpuNanos() - machineBefore);
        } finally {
            threads.shutdown();
        }
    }

    private static Callable<Long> writer(Writing device, int writer, long deadlineNanos) {
        return () -> {
            ByteBuffer source = Buffers.aligned(BLOCK, BLOCK);
            int regionBlocks = FILE_BYTES / BLOCK / 4;
            long count = 0;
            while (System.nanoTime() < deadlineNanos) {
                source.clear().putLong(0, count);
                device.write(source, (writer * (long) regionBlocks + count % regionBlocks) * BLOCK);
                count++;
            }
            return count;
        };
    }

    private static long processCpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    /** What all processors did, the kernel's own threads included: they finish some writes on a process' behalf. */
    private static long machineCpuNanos() throws IOException {
        String[] words = Files.readAllLines(Path.of("/proc/stat")).get(0).trim().split("\\s+");
        // user, nice, system, (idle, iowait,) irq, softirq
        long ticks = 0;
        for (int column : new int[] {1, 2, 3, 6, 7}) {
            ticks += Long.parseLong(words[column]);
        }
        return TimeUnit.SECONDS.toNanos(ticks) / CPU_TICKS_PER_SECOND;
    }

    private static void print(String name, List<Trial> trials) {
        double[] rates = trials.stream().mapToDouble(Trial::perSecond).sorted().toArray();
        // The clocks tick a hundred times a second, too coarse for one trial.
        double writes = trials.stream().mapToLong(Trial::writes).sum();
        System.out.printf(
                "%-18s %9.0f %9.0f %9.0f %12.1f %12.1f%n",
                name,
                rates[rates.length / 2],
                rates[0],
                rates[rates.length - 1],
                trials.stream().mapToLong(Trial::processNanos).sum() / 1e3 / writes,
                trials.stream().mapToLong(Trial::machineNanos).sum() / 1e3 / writes);
    }

    private record Trial(long writes, double perSecond, long processNanos, long machineNanos) {}

    private interface Writing {
        void write(ByteBuffer source, long position) throws IOException;
    }
}
