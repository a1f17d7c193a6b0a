package io.tallystick.testkit.oracle;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.store.spi.StoreInspector;
import io.tallystick.testkit.States;
import io.tallystick.testkit.StoreOpener;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;

/**
 * Damages the files of a closed store in one place, opens it again, and checks invariant I8 of docs/durability.md:
 * damage to acknowledged bytes is reported or harmless.
 *
 * <p>The store goes through some lives on a {@link SimulatedDisk}, each opened, given the workload and closed. Then
 * each damage happens on a copy of that disk: one bit is flipped, one file is cut off, or a sector of 512 bytes reads
 * as zeros. Opening the copy must end in one of two ways:
 *
 * <ul>
 *   <li>the store opens and holds exactly the acknowledged states; it takes a write, closes, and opens again;
 *   <li>it is refused with a {@link CorruptStoreException} or an {@link UnsupportedFormatException}. The message names
 *       the directory or a file in it. No file of the directory has changed, except {@value StoreDirectory#OWNER_FILE},
 *       which names the process that tried.
 * </ul>
 *
 * <p>The places are random, the same number in each file, most of them where the file is not zero. A file with fewer
 * bits than that gets each bit once, and so does every file in a sweep without a limit. The figures in a failure's
 * message repeat it.
 */
public final class RotSweep {
    static final Path DIRECTORY = CrashSweep.DIRECTORY;

    private static final int DEFAULT_LIVES = 2;
    private static final long DEFAULT_FLIPS = 300;
    private static final long DEFAULT_CUTS = 40;
    private static final int SECTOR_BYTES = 512;
    // A store with harmless damage takes a write and opens again in one of this many cases.
    private static final int EPILOGUE_EVERY = 7;
    private static final int ZEROS_IN = 16;

    private final StoreOpener opener;
    private final StoreWorkload workload;
    private final int lives;
    private final long flipsPerFile;
    private final long cutsPerFile;
    private final int denseBytes;
    private final long seed;
    private final Function<Disk, StoreInspector> inspectors;

    private SimulatedDisk original;
    private Oracle oracle;
    private Map<Path, byte[]> files;
    private long refused;
    private long harmless;
    private long recordsFound;
    private long recordsThere;
    private Optional<StoreInspection> undamaged;

    private RotSweep(
            StoreOpener opener,
            StoreWorkload workload,
            int lives,
            long flipsPerFile,
            long cutsPerFile,
            int denseBytes,
            long seed,
            Function<Disk, StoreInspector> inspectors) {
        this.opener = Objects.requireNonNull(opener);
        this.workload = Objects.requireNonNull(workload);
        this.lives = lives;
        this.flipsPerFile = flipsPerFile;
        this.cutsPerFile = cutsPerFile;
        this.denseBytes = denseBytes;
        this.seed = seed;
        this.inspectors = inspectors;
    }

    /** A sweep of two lives, which damages each file a few hundred times. */
    public static RotSweep of(StoreOpener opener, StoreWorkload workload) {
        return new RotSweep(opener, workload, DEFAULT_LIVES, DEFAULT_FLIPS, DEFAULT_CUTS, 0, 1, null);
    }

    /** With this many lives. */
    public RotSweep withLives(int count) {
        return new RotSweep(opener, workload, count, flipsPerFile, cutsPerFile, denseBytes, seed, inspectors);
    }

    /** With this many flipped bits in each file, and zeroed sectors in proportion. */
    public RotSweep withFlips(long perFile) {
        return new RotSweep(opener, workload, lives, perFile, cutsPerFile, denseBytes, seed, inspectors);
    }

    /** With this many lengths to which each file is cut. */
    public RotSweep withCuts(long perFile) {
        return new RotSweep(opener, workload, lives, flipsPerFile, perFile, denseBytes, seed, inspectors);
    }

    /** With each bit of the first bytes of every file in addition, because headers are small and matter most. */
    public RotSweep withEveryBitOfTheFirst(int bytes) {
        return new RotSweep(opener, workload, lives, flipsPerFile, cutsPerFile, bytes, seed, inspectors);
    }

    /** With other random places. */
    public RotSweep withSeed(long otherSeed) {
        return new RotSweep(opener, workload, lives, flipsPerFile, cutsPerFile, denseBytes, otherSeed, inspectors);
    }

    /**
     * With an inspector that reads each damaged store before it is opened. It must find damage exactly if the store is
     * refused. Otherwise it must find the same records as the store. It must change nothing.
     */
    public RotSweep withInspector(Function<Disk, StoreInspector> made) {
        return new RotSweep(opener, workload, lives, flipsPerFile, cutsPerFile, denseBytes, seed, made);
    }

    /** With every bit and every length. */
    public RotSweep exhaustive() {
        return withFlips(Long.MAX_VALUE).withCuts(Long.MAX_VALUE);
    }

    /**
     * The result of a sweep.
     *
     * @param files number of files that were damaged
     * @param refused number of cases in which the store reported the damage
     * @param harmless number of cases in which it held all acknowledged states
     * @param recordsFound number of records that the inspector found in all refused stores
     * @param recordsThere number of records that they held before the damage
     */
    public record Report(long files, long refused, long harmless, long recordsFound, long recordsThere) {}

    /**
     * Runs the sweep.
     *
     * @throws AssertionError damage was neither reported nor harmless; the message names its place
     */
    public synchronized Report run() {
        refused = 0;
        harmless = 0;
        recordsFound = 0;
        recordsThere = 0;
        try {
            live();
            files = filesOf(original.crash(1));
            undamaged = inspectors == null ? Optional.empty() : inspect(original.crash(1), "undamaged");
            for (Path file : files.keySet()) {
                flipBits(file);
                cutOff(file);
                zeroSectors(file);
            }
        } catch (IOException trouble) {
            throw new AssertionError("the simulated disk: " + trouble, trouble);
        }
        if (refused == 0) {
            throw new AssertionError("none of " + harmless + " cases of damage was reported; the sweep proves nothing");
        }
        return new Report(files.size(), refused, harmless, recordsFound, recordsThere);
    }

    private void live() {
        original = new SimulatedDisk();
        oracle = new Oracle();
        for (int life = 0; life < lives; life++) {
            ObjectStore store = opener.open(original, DIRECTORY);
            oracle.checkRecovered(store);
            try (ObjectStore watched = oracle.watch(store)) {
                workload.run(watched);
            }
        }
        try (ObjectStore store = opener.open(original, DIRECTORY)) {
            oracle.checkRecovered(store);
            oracle.revealAll(oracle.watch(store));
        }
    }

    private void flipBits(Path file) throws IOException {
        byte[] bytes = files.get(file);
        long bits = 8L * bytes.length;
        int dense = Math.min(denseBytes, bytes.length);
        for (long bit = 0; bit < 8L * dense; bit++) {
            flip(file, bit);
        }
        Positions positions = new Positions(file, bytes);
        if (flipsPerFile >= bits) {
            for (long bit = 8L * dense; bit < bits; bit++) {
                flip(file, bit);
            }
        } else {
            for (long i = 0; i < flipsPerFile; i++) {
                flip(file, 8L * positions.next() + positions.random.nextInt(8));
            }
        }
    }

    private void flip(Path file, long bit) throws IOException {
        byte[] damaged = files.get(file).clone();
        damaged[(int) (bit / 8)] ^= (byte) (1 << (bit % 8));
        judge(file, damaged, "offset=" + bit / 8 + " bit=" + bit % 8 + " flipped");
    }

    private void cutOff(Path file) throws IOException {
        byte[] bytes = files.get(file);
        if (cutsPerFile >= bytes.length) {
            for (int length = 0; length < bytes.length; length++) {
                cut(file, length);
            }
            return;
        }
        Positions positions = new Positions(file, bytes);
        cut(file, 0);
        cut(file, bytes.length - 1);
        for (long i = 2; i < cutsPerFile; i++) {
            cut(file, positions.next());
        }
    }

    private void cut(Path file, int length) throws IOException {
        judge(file, Arrays.copyOf(files.get(file), length), "cut off at length=" + length);
    }

    private void zeroSectors(Path file) throws IOException {
        byte[] bytes = files.get(file);
        int sectors = (bytes.length + SECTOR_BYTES - 1) / SECTOR_BYTES;
        Random random = new Random(seed ^ file.hashCode());
        double share = (double) flipsPerFile / (8 * SECTOR_BYTES) * 16 / Math.max(1, sectors);
        for (int sector = 0; sector < sectors; sector++) {
            int from = sector * SECTOR_BYTES;
            int to = Math.min(bytes.length, from + SECTOR_BYTES);
            byte[] damaged = bytes.clone();
            Arrays.fill(damaged, from, to, (byte) 0);
            if (random.nextDouble() < share && !Arrays.equals(damaged, bytes)) {
                judge(file, damaged, "offset=" + from + " length=" + (to - from) + " zeroed");
            }
        }
    }

    private void judge(Path file, byte[] damaged, String what) throws IOException {
        SimulatedDisk disk = original.crash(1);
        disk.replaceContents(file, damaged);
        String where = "file=" + file + " " + what + " seed=" + seed;
        Optional<StoreInspection> inspection = inspectors == null ? Optional.empty() : inspect(disk, where);
        ObjectStore store;
        try {
            store = opener.open(disk, DIRECTORY);
        } catch (CorruptStoreException | UnsupportedFormatException told) {
            checkRefusal(disk, file, damaged, told, where);
            checkDamageFound(inspection, told, where);
            refused++;
            return;
        } catch (RuntimeException | Error other) {
            throw new AssertionError(where + ": opening ends with " + other, other);
        }
        try {
            checkSameRecords(inspection, store);
            liveWith(disk, store);
            harmless++;
        } catch (AssertionError | RuntimeException violated) {
            throw new AssertionError(where + ": " + violated.getMessage(), violated);
        }
    }

    private void checkRefusal(SimulatedDisk disk, Path file, byte[] damaged, StoreException told, String where)
            throws IOException {
        if (!told.getMessage().contains(DIRECTORY.toString())) {
            throw new AssertionError(where + ": the refusal names no file: " + told.getMessage(), told);
        }
        Map<Path, byte[]> expected = new LinkedHashMap<>(files);
        expected.put(file, damaged);
        Map<Path, byte[]> found = filesOf(disk);
        if (!found.keySet().equals(expected.keySet())) {
            throw new AssertionError(
                    where + ": the refusal changed files from " + expected.keySet() + " to " + found.keySet(), told);
        }
        found.forEach((path, bytes) -> {
            if (!Arrays.equals(bytes, expected.get(path))) {
                throw new AssertionError(where + ": the refusal changed file=" + path, told);
            }
        });
    }

    /** Empty where the inspector says that it cannot read the format. */
    private Optional<StoreInspection> inspect(SimulatedDisk disk, String where) throws IOException {
        Map<Path, byte[]> before = filesOf(disk);
        Optional<StoreInspection> found;
        try {
            found = Optional.of(inspectors.apply(disk).inspect(DIRECTORY));
            found.get().records().forEach(InspectedRecord::image);
        } catch (UnsupportedFormatException newer) {
            found = Optional.empty();
        } catch (RuntimeException | Error other) {
            throw new AssertionError(where + ": the inspection ends with " + other, other);
        }
        Map<Path, byte[]> after = filesOf(disk);
        if (!after.keySet().equals(before.keySet())) {
            throw new AssertionError(where + ": the inspection made or deleted files: " + after.keySet());
        }
        after.forEach((path, bytes) -> {
            if (!Arrays.equals(bytes, before.get(path))) {
                throw new AssertionError(where + ": the inspection changed file=" + path);
            }
        });
        return found;
    }

    private void checkDamageFound(Optional<StoreInspection> inspection, StoreException told, String where) {
        if (inspection.isEmpty()) {
            return;
        }
        if (inspection.get().isHealthy()) {
            throw new AssertionError(where + ": the store is refused, but the inspection finds no damage", told);
        }
        recordsFound += inspection.get().records().size();
        recordsThere += undamaged.orElseThrow().records().size();
    }

    private void checkSameRecords(Optional<StoreInspection> inspection, ObjectStore store) {
        if (inspectors == null) {
            return;
        }
        if (inspection.isEmpty()) {
            throw new AssertionError("the store opens, but the inspector cannot read it");
        }
        if (!inspection.get().isHealthy()) {
            throw new AssertionError("the store opens, but the inspection finds "
                    + inspection.get().damages());
        }
        Set<StateKey> keys = new HashSet<>();
        for (String type : store.types()) {
            keys.addAll(store.keys(type));
        }
        Set<StateKey> found = new HashSet<>();
        inspection.get().records().forEach(record -> found.add(record.key()));
        if (!found.equals(keys)) {
            throw new AssertionError("the store holds " + keys + ", but the inspection finds " + found);
        }
        for (InspectedRecord record : inspection.get().records()) {
            boolean isSame = record.status() == store.statusOf(record.key())
                    && (record.status().isHidden()
                            || Arrays.equals(
                                    record.image().committed(),
                                    store.read(record.key()).orElse(null)));
            if (!isSame) {
                throw new AssertionError("the inspection finds another state of " + record.key() + " than the store");
            }
        }
    }

    private void liveWith(SimulatedDisk disk, ObjectStore store) {
        Oracle judge = oracle.copy();
        boolean epilogue = harmless % EPILOGUE_EVERY == 0;
        try (ObjectStore watched = judge.watch(store)) {
            judge.checkRecovered(store);
            if (epilogue) {
                watched.write(
                        StateKey.of("/Rot", ObjectId.of(new byte[] {1})),
                        States.random(600, harmless),
                        Durability.FORCED);
            }
        }
        if (epilogue) {
            try (ObjectStore reopened = opener.open(disk, DIRECTORY)) {
                judge.checkRecovered(reopened);
            }
        }
    }

    /** All regular files except the notes of the directory's owner and place, on which no state depends. */
    private static Map<Path, byte[]> filesOf(SimulatedDisk disk) throws IOException {
        Map<Path, byte[]> found = new LinkedHashMap<>();
        collect(disk, DIRECTORY, found);
        return found;
    }

    private static void collect(SimulatedDisk disk, Path directory, Map<Path, byte[]> found) throws IOException {
        for (Path path : disk.list(directory).stream().sorted().toList()) {
            if (disk.kindOf(path) == Disk.PathKind.DIRECTORY) {
                collect(disk, path, found);
            } else if (!path.endsWith(StoreDirectory.OWNER_FILE) && !path.endsWith(StoreDirectory.PLACE_FILE)) {
                found.put(path, disk.contents(path));
            }
        }
    }

    /** Positions for damage in a file, mostly where it is not zero. */
    private final class Positions {
        private final Random random;
        private final byte[] bytes;

        Positions(Path file, byte[] bytes) {
            this.random = new Random(seed ^ file.hashCode());
            this.bytes = bytes;
        }

        int next() {
            int position = random.nextInt(bytes.length);
            for (int tries = 0; tries < 1_000 && bytes[position] == 0 && random.nextInt(ZEROS_IN) != 0; tries++) {
                position = random.nextInt(bytes.length);
            }
            return position;
        }
    }
}
