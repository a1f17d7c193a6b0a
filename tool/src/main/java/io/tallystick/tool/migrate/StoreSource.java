package io.tallystick.tool.migrate;

import io.tallystick.narayana.logs.Findings;
import io.tallystick.narayana.logs.LogSource;
import io.tallystick.narayana.logs.SettledTrail;
import io.tallystick.narayana.logs.SourceState;
import io.tallystick.storage.Disk;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.StateImage;
import io.tallystick.tool.command.ForgottenFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** A store of ours, of any kind; see {@link StoreContent}. */
final class StoreSource implements LogSource {
    private final Disk disk;
    private final Path directory;
    private final Supplier<Path> scratch;

    /** @param scratch a directory that does not exist, for a copy */
    StoreSource(Disk disk, Path directory, Supplier<Path> scratch) {
        this.disk = disk;
        this.directory = directory;
        this.scratch = scratch;
    }

    @Override
    public String description() {
        return "a Tallystick store, directory=" + directory;
    }

    @Override
    public Optional<String> holder() throws IOException {
        return StoreContent.holderOf(disk, directory);
    }

    /** Its lock shows its use. */
    @Override
    public boolean mustBeStopped() {
        return false;
    }

    @Override
    public void read(Receiver receiver, Findings findings) throws IOException {
        StoreContent content = StoreContent.of(disk, directory, scratch);
        for (Damage damage : content.damages()) {
            findings.damage("file=" + damage.file() + " offset=" + damage.offset(), damage.reason());
        }
        Path quarantine = SettledTrail.directoryIn(directory);
        ForgottenFiles.leftIn(disk, quarantine).ifPresent(text -> findings.remark(quarantine, text));
        for (Map.Entry<StateKey, Supplier<StateImage>> state : content.states().entrySet()) {
            receiver.take(new SourceState(
                    state.getKey(),
                    state.getValue().get(),
                    "directory=" + directory + " key=" + state.getKey().toPrintable()));
        }
    }
}
