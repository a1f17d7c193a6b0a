package io.tallystick.store.file;

import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.testkit.contract.LostPlaceContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

class FileLostPlaceTest extends LostPlaceContract {
    FileLostPlaceTest() {
        super("io.tallystick.store.file");
    }

    @Override
    protected ObjectStore open(Path in) {
        StoreConfiguration configuration =
                StoreConfiguration.builder().directory(in).build();
        return FileStore.open(FileStoreOptions.from(configuration), new SystemDisk(), NanoClock.SYSTEM);
    }

    @Override
    protected Path fileInUse(Path in) throws IOException {
        try (Stream<Path> paths = Files.walk(in.resolve("states"))) {
            return paths.filter(path -> Files.isRegularFile(path)
                            && path.getFileName().toString().startsWith("00000001"))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
