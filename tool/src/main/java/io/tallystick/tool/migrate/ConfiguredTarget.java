package io.tallystick.tool.migrate;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.StateImage;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.GivenSettings;
import io.tallystick.tool.command.StoreAccess;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/** A store that the configuration describes, read back by {@link StoreContent}. */
final class ConfiguredTarget implements TargetStore {
    private static final long LARGEST_STATE_BYTES = 8 * StoreOption.MIB;
    private static final int STATES_PER_SEGMENT = 4;

    private final TargetKind kind;
    private final Map<String, String> settings;
    private final StoreAccess access;
    private final Supplier<Path> scratch;

    /**
     * @param settings further configuration keys and values; they win
     * @param access the way to the target
     * @param scratch a directory that does not exist, for a copy
     */
    ConfiguredTarget(TargetKind kind, Map<String, String> settings, StoreAccess access, Supplier<Path> scratch) {
        this.access = access;
        this.scratch = scratch;
        this.kind = kind;
        this.settings = settings;
    }

    @Override
    public String description() {
        return "tallystick.store=" + kind.store()
                + (kind == TargetKind.FILE ? "" : ", tallystick.journal.engine=" + kind.engine());
    }

    @Override
    public ObjectStore create(Path directory) {
        return access.open(configuration(directory));
    }

    private StoreConfiguration configuration(Path directory) {
        StoreConfiguration.Builder builder = StoreConfiguration.builder()
                .set(StoreOption.JOURNAL_ENGINE, kind.engine())
                // The store is written once and forced once, so a trial of other ways to the disk does not pay.
                .set(StoreOption.JOURNAL_IO, "channel");
        GivenSettings.apply(settings, builder);
        StoreConfiguration configuration =
                builder.store(kind.store()).directory(directory).build();
        if (configuration.isSet(StoreOption.MAX_STATE_SIZE)) {
            return configuration;
        }
        long segmentBytes = configuration.get(StoreOption.JOURNAL_SEGMENT_SIZE);
        return configuration.toBuilder()
                .set(StoreOption.MAX_STATE_SIZE, Math.min(LARGEST_STATE_BYTES, segmentBytes / STATES_PER_SEGMENT))
                .build();
    }

    @Override
    public Map<StateKey, Supplier<StateImage>> read(Path directory) throws IOException {
        StoreContent content = StoreContent.of(access.disk(), directory, scratch);
        if (!content.damages().isEmpty()) {
            throw new ToolException(
                    ExitStatus.NEGATIVE,
                    "directory=" + directory + " holds a damaged store: "
                            + content.damages().get(0).describe() + "; see 'tallystick verify'");
        }
        return content.states();
    }

    /** The name on the command line. */
    @Override
    public String toString() {
        return kind.name().toLowerCase(Locale.ROOT);
    }
}
