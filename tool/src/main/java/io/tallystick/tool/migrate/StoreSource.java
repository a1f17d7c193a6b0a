package io.tallystick.tool.migrate;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreGlance;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.store.spi.StoreInspectors;
import io.tallystick.tool.ExitStatus;
import io.tallystick.tool.ToolException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** A store of ours, of any kind, read by its inspector: without opening it, and hidden values too. */
final class StoreSource implements LogSource {
    private final Disk disk;
    private final Path directory;

    StoreSource(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
    }

    @Override
    public String description() {
        return "a Tallystick store, directory=" + directory;
    }

    @Override
    public Optional<String> holder() throws IOException {
        return StoreGlance.at(disk, directory).flatMap(StoreGlance::holder);
    }

    /** Its lock tells; {@link #read} looks at it as well. */
    @Override
    public boolean mustBeStopped() {
        return false;
    }

    @Override
    public void read(Receiver receiver, Findings findings) throws IOException {
        StoreInspection inspection = StoreInspectors.inspect(directory);
        Optional<String> holder = inspection.holder();
        if (holder.isPresent()) {
            throw new ToolException(
                    ExitStatus.IN_USE,
                    "directory=" + directory + " is in use by " + holder.get() + "; stop it and run this again");
        }
        for (Damage damage : inspection.damages()) {
            findings.damage("file=" + damage.file() + " offset=" + damage.offset(), damage.reason());
        }
        for (InspectedRecord record : inspection.records()) {
            receiver.take(new SourceState(
                    record.key(), record.image(), "file=" + record.file() + " offset=" + record.offset()));
        }
    }
}
