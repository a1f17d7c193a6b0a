package io.tallystick.benchmarks.experiments;

import io.tallystick.store.StoreConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A directory for one measurement, deleted with all that is in it when this is closed. */
public final class ScratchDirectory implements AutoCloseable {
    private final Path path;

    /** Makes one below the parent, whose name begins so. */
    public ScratchDirectory(Path parent, String name) throws IOException {
        path = Files.createTempDirectory(parent, name);
    }

    public Path path() {
        return path;
    }

    /** A store here, with settings such as {@code tallystick.journal.io=channel}. */
    public StoreConfiguration configuration(String store, List<String> settings) {
        StoreConfiguration.Builder configuration =
                StoreConfiguration.builder().store(store).directory(path);
        for (String setting : settings) {
            String[] parts = setting.split("=", 2);
            configuration.set(parts[0], parts[1]);
        }
        return configuration.build();
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> tree = Files.walk(path)) {
            for (Path each : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
