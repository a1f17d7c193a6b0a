package io.tallystick.nativeio;

import io.tallystick.storage.Disk;
import java.nio.file.Path;

class LibaioFileTest extends DirectFileContract {
    @Override
    Disk diskFor(Path directory) {
        return Requirements.libaio(directory);
    }
}
