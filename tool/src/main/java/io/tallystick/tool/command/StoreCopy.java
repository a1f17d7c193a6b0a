package io.tallystick.tool.command;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StoreInspection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Makes a new store of the same kind with the same records and their status, closes it, and compares it with the
 * source. The new store has an identity of its own. No two stores share an identity, so that a file of one is never
 * taken for a file of the other.
 */
public final class StoreCopy {
    private static final long MIN_SEGMENT_BYTES = 64 * StoreOption.KIB;
    private static final long MAX_SMALL_SEGMENT_BYTES = 32 * StoreOption.MIB;
    private static final long DEFAULT_SEGMENT_BYTES = 4 * StoreOption.MIB;
    private static final int FORCED_EVERY = 1000;

    private final StoreAccess access;
    private final Progress progress;

    public StoreCopy(StoreAccess access, Progress progress) {
        this.access = access;
        this.progress = progress;
    }

    /**
     * Fills an empty directory.
     *
     * @param settings configuration keys and values that win over those of the source
     * @return the content of the new store, which is closed
     * @throws ToolException the copy differs from the source
     */
    public StoreInspection copy(StoreInspection source, Path target, Map<String, String> settings) throws IOException {
        try (ObjectStore store = access.open(configuration(source, target, settings))) {
            long done = 0;
            for (InspectedRecord record : source.records()) {
                write(store, record.key(), record.image());
                progress.at(++done, source.records().size(), "records written");
                if (done % FORCED_EVERY == 0) {
                    store.force();
                }
            }
            store.force();
        }
        StoreInspection made = access.inspectorOf(target).inspect(target);
        checkSame(source, made);
        return made;
    }

    private static void write(ObjectStore store, StateKey key, StateImage image) {
        if (image.committed() != null) {
            store.write(key, image.committed(), Durability.DEFERRED);
        }
        if (image.shadow() != null) {
            store.writeShadow(key, image.shadow(), Durability.DEFERRED);
        }
        if (image.isHidden()) {
            store.hide(key);
        }
    }

    /** The settings of the copy: a log in a database becomes a journal of its node. */
    private static Map<String, String> settingsOf(StoreInspection source) {
        if (!source.isRemote()) {
            return source.settings();
        }
        return Map.of(
                StoreOption.STORE.key(),
                "journal",
                StoreOption.NODE_ID.key(),
                source.settings().get(StoreOption.NODE_ID.key()));
    }

    /** The configuration of a store that takes every record of the source. */
    static StoreConfiguration configuration(StoreInspection source, Path target, Map<String, String> settings) {
        long largest = Math.max(StoreOption.KIB, largestValue(source));
        StoreConfiguration.Builder builder = StoreConfiguration.builder();
        Map<String, String> ofSource = settingsOf(source);
        ofSource.forEach(builder::set);
        if ("journal".equals(ofSource.get(StoreOption.STORE.key()))) {
            builder.set(StoreOption.JOURNAL_IO, "channel");
            if (!ofSource.containsKey(StoreOption.JOURNAL_SEGMENT_SIZE.key())) {
                builder.set(StoreOption.JOURNAL_SEGMENT_SIZE, DEFAULT_SEGMENT_BYTES);
            }
        }
        builder.set(StoreOption.MAX_STATE_SIZE, largest);
        settings.forEach(builder::set);
        return builder.directory(target).build();
    }

    /** The bytes of the largest value of any key. */
    private static long largestValue(StoreInspection source) {
        long largest = 0;
        for (InspectedRecord record : source.records()) {
            largest = Math.max(largest, StateImages.largestValue(record.image()));
        }
        return largest;
    }

    /** The size of files for a copy that is kept and not used: the files are few and nearly full. */
    public static String smallSegmentBytes(StoreInspection source) {
        long largest = largestValue(source);
        long all = source.records().stream().mapToLong(InspectedRecord::bytes).sum();
        long bytes = MIN_SEGMENT_BYTES;
        while (bytes < 4 * largest || bytes < MAX_SMALL_SEGMENT_BYTES && bytes < all / 4) {
            bytes *= 2;
        }
        return bytes + "B";
    }

    /**
     * Compares two stores, record by record.
     *
     * @throws ToolException they differ
     */
    public static void checkSame(StoreInspection source, StoreInspection made) {
        if (!made.isHealthy()) {
            throw differs(made, made.damages().get(0).describe());
        }
        if (made.records().size() != source.records().size()) {
            throw differs(
                    made,
                    "it has " + made.records().size() + " records, not "
                            + source.records().size());
        }
        for (InspectedRecord record : source.records()) {
            Optional<InspectedRecord> copy = made.record(record.key());
            StateImage image = record.image();
            boolean isSame = copy.isPresent()
                    && copy.get().status() == record.status()
                    && StateImages.same(copy.get().image(), image);
            if (!isSame) {
                throw differs(made, "the record of " + record.key().toPrintable() + " differs");
            }
        }
    }

    private static ToolException differs(StoreInspection made, String how) {
        return new ToolException(
                ExitStatus.FAILED,
                "directory=" + made.directory() + " differs from its source: " + how
                        + "; the source was not changed, check the disk and try again");
    }
}
