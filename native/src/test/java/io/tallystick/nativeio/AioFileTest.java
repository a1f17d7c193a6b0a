package io.tallystick.nativeio;

import io.tallystick.storage.Disk;
import java.io.IOException;
import java.nio.file.Path;

class AioFileTest extends DirectFileContract {
    @Override
    Disk diskFor(Path directory) throws IOException {
        return Requirements.diskWith("aio", directory);
    }
}
