package io.tallystick.durability.settle;

import io.tallystick.durability.subject.ConfiguredSubject;
import io.tallystick.durability.surroundings.DirectoryImage;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.store.spi.StoreInspectors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A log in a directory.
 *
 * @param configured the store
 * @param directory of it
 */
record LogInDirectory(ConfiguredSubject configured, Path directory) implements HistoryLog {
    @Override
    public Map<String, String> settings() {
        return Map.of(StoreOption.DIRECTORY.key(), directory.toString());
    }

    @Override
    public List<String> words() {
        return List.of(directory.toString());
    }

    @Override
    public StoreConfiguration configuration() {
        return configured.configuration(directory).toBuilder()
                .set(StoreOption.NODE_ID, SettleStage.NODE)
                .build();
    }

    @Override
    public boolean isInDatabase() {
        return false;
    }

    @Override
    public StoreInspection inspection() {
        return StoreInspectors.inspect(directory);
    }

    @Override
    public Changes remembered() throws IOException {
        DirectoryImage before = DirectoryImage.of(directory);
        return () -> before.differenceTo(DirectoryImage.of(directory));
    }

    @Override
    public void awaitEndOfKilled() {
        // the process itself has changed the files
    }

    @Override
    public void delete() {
        // it goes with the directory of the history
    }
}
