package io.tallystick.testkit.disk;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;

/**
 * One damage to the files of a closed store: a flipped bit, a lost tail, a forged length, bytes of another place. Files
 * are a map from name to content, and the result is another map. The same seed gives the same damage.
 */
public final class FileDamage {
    private static final int[] EXTREME_LENGTHS = {
        0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, 0x7fff_fff8, 0x0100_0000, 0x0000_ffff, 64, 4096
    };
    private static final int BLOCK_BYTES = 512;
    private static final int USED_TRIES = 100;
    private static final int END_BYTES = 6_000;

    private final String description;
    private final Map<String, byte[]> files;

    private FileDamage(String description, Map<String, byte[]> files) {
        this.description = description;
        this.files = files;
    }

    /** The kinds of damage. */
    public enum Kind {
        /** One bit is flipped. */
        BIT,
        /** One byte is changed. */
        BYTE,
        /** The file is cut off at some byte. */
        TRUNCATED,
        /** The file is there, and empty. */
        EMPTY,
        /** There are more bytes at the end. */
        LONGER,
        /** A block of zeros. */
        ZEROED,
        /** Four bytes hold an extreme number, as a forged length does. */
        LENGTH,
        /** A block of some file lies in the place of another block. */
        SPLICED,
        /** Two files have each other's content. */
        SWAPPED,
        /** The file has its content of an earlier time. */
        STALE,
        /** The file is gone. */
        MISSING
    }

    /** Flips the bit of this number, counted through all files in the order of their names. */
    public static FileDamage bit(Map<String, byte[]> files, long number) {
        long left = number;
        for (Map.Entry<String, byte[]> file : new TreeMap<>(files).entrySet()) {
            long bits = 8L * file.getValue().length;
            if (left < bits) {
                byte[] bytes = file.getValue().clone();
                bytes[(int) (left / 8)] ^= (byte) (1 << left % 8);
                return with(files, file.getKey(), bytes, "bit " + left % 8 + " of byte " + left / 8 + " flipped");
            }
            left -= bits;
        }
        throw new IllegalArgumentException("number=" + number + " is beyond the last bit");
    }

    /**
     * {@link Kind#BIT} in the last byte of the file that is not zero. A file of zeros is changed in its first byte, an
     * empty file nowhere.
     */
    public static FileDamage lastInUse(Map<String, byte[]> files, String name) {
        byte[] bytes = files.get(name).clone();
        int at = bytes.length - 1;
        while (at > 0 && bytes[at] == 0) {
            at--;
        }
        if (at >= 0) {
            bytes[at] ^= 1;
        }
        return with(files, name, bytes, "last byte in use, at " + at + ", changed");
    }

    /** {@link Kind#STALE}: the file has the content that it had before. */
    public static FileDamage stale(Map<String, byte[]> files, String name, byte[] before) {
        return with(files, name, before, "as it was before");
    }

    /** {@link Kind#MISSING}: the file is gone. */
    public static FileDamage missing(Map<String, byte[]> files, String name) {
        Map<String, byte[]> damaged = new TreeMap<>(files);
        damaged.remove(name);
        return new FileDamage(name + " missing", damaged);
    }

    /** The number of bits in all files. */
    public static long bits(Map<String, byte[]> files) {
        return files.values().stream().mapToLong(bytes -> 8L * bytes.length).sum();
    }

    /**
     * Damage at random.
     *
     * @param files the files
     * @param earlier the same files some time before, for {@link Kind#STALE}
     * @param kind the kind of damage
     */
    public static FileDamage random(Map<String, byte[]> files, Map<String, byte[]> earlier, Kind kind, Random random) {
        List<String> names = new ArrayList<>(new TreeMap<>(files).keySet());
        String name = names.get(random.nextInt(names.size()));
        byte[] bytes = files.get(name).clone();
        int at = bytes.length == 0 ? 0 : usedPosition(bytes, random);
        switch (kind) {
            case BIT, BYTE -> {
                if (bytes.length > 0) {
                    bytes[at] ^= (byte) (kind == Kind.BIT ? 1 << random.nextInt(8) : 1 + random.nextInt(255));
                }
                return with(files, name, bytes, kind + " at " + at);
            }
            case TRUNCATED -> {
                return with(files, name, Arrays.copyOf(bytes, at), "truncated to " + at);
            }
            case EMPTY -> {
                return with(files, name, new byte[0], "emptied");
            }
            case LONGER -> {
                byte[] longer = Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(2 * BLOCK_BYTES));
                if (random.nextBoolean()) {
                    fill(longer, bytes.length, random);
                }
                return with(files, name, longer, "longer by " + (longer.length - bytes.length));
            }
            case ZEROED -> {
                int from = at / BLOCK_BYTES * BLOCK_BYTES;
                Arrays.fill(bytes, from, Math.min(bytes.length, from + BLOCK_BYTES), (byte) 0);
                return with(files, name, bytes, "block at " + from + " zeroed");
            }
            case LENGTH -> {
                int value = EXTREME_LENGTHS[random.nextInt(EXTREME_LENGTHS.length)];
                int from = at / 4 * 4;
                for (int i = 0; i < 4 && from + i < bytes.length; i++) {
                    bytes[from + i] = (byte) (value >>> 8 * i);
                }
                return with(files, name, bytes, "length " + value + " at " + from);
            }
            case SPLICED -> {
                byte[] other = files.get(names.get(random.nextInt(names.size())));
                int from = other.length == 0 ? 0 : usedPosition(other, random) / 8 * 8;
                int to = at / 8 * 8;
                int length = Math.min(Math.min(1 << 3 + random.nextInt(10), other.length - from), bytes.length - to);
                System.arraycopy(other, from, bytes, to, length);
                return with(files, name, bytes, length + " bytes of " + from + " at " + to);
            }
            case SWAPPED -> {
                String other = names.get(random.nextInt(names.size()));
                Map<String, byte[]> damaged = new TreeMap<>(files);
                damaged.put(name, files.get(other));
                damaged.put(other, files.get(name));
                return new FileDamage(name + " and " + other + " swapped", damaged);
            }
            case STALE -> {
                return stale(files, name, earlier.getOrDefault(name, bytes));
            }
            default -> {
                return missing(files, name);
            }
        }
    }

    /** The damage in words. */
    public String description() {
        return description;
    }

    /** The files after the damage. */
    public Map<String, byte[]> files() {
        return files;
    }

    /**
     * Most of a preallocated file is zeros. So this position is mostly one that is not zero, above all near the end of
     * such bytes.
     */
    private static int usedPosition(byte[] bytes, Random random) {
        int from = 0;
        int until = bytes.length;
        boolean nearTheEnd = random.nextInt(3) == 0;
        if (nearTheEnd) {
            while (until > 1 && bytes[until - 1] == 0) {
                until--;
            }
            from = Math.max(0, until - END_BYTES);
        }
        int at = from + random.nextInt(until - from);
        boolean anywhere = random.nextInt(4) == 0;
        for (int tries = 0; tries < USED_TRIES && bytes[at] == 0 && !anywhere; tries++) {
            at = from + random.nextInt(until - from);
        }
        return at;
    }

    private static void fill(byte[] bytes, int from, Random random) {
        for (int i = from; i < bytes.length; i++) {
            bytes[i] = (byte) random.nextInt();
        }
    }

    private static FileDamage with(Map<String, byte[]> files, String name, byte[] bytes, String what) {
        Map<String, byte[]> damaged = new TreeMap<>(Objects.requireNonNull(files));
        damaged.put(name, bytes);
        return new FileDamage(name + " " + what, damaged);
    }
}
