package com.example.notebook;

import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.settings.Setting;
import io.tallystick.store.settings.ValueReaders;
import io.tallystick.store.spi.ObjectStoreProvider;
import java.util.List;
import java.util.Optional;

/** Opens {@code tallystick.store=notebook}. */
public final class NotebookProvider implements ObjectStoreProvider {
    /** May change between lives: no file depends on it. */
    static final StoreOption<Long> REWRITE_ABOVE = StoreOption.of(Setting.of(
            "tallystick.notebook.rewrite-above",
            ValueReaders.size(64 * StoreOption.KIB, StoreOption.GIB),
            Optional.of("16MiB"),
            "size from which a file of which less than half lives is written anew, 64KiB to 1GiB"));

    /** For ServiceLoader. */
    public NotebookProvider() {}

    @Override
    public String name() {
        return "notebook";
    }

    @Override
    public List<StoreOption<?>> options() {
        return List.of(REWRITE_ABOVE);
    }

    @Override
    public ObjectStore open(StoreConfiguration configuration) {
        return NotebookStore.open(configuration, new SystemDisk());
    }
}
