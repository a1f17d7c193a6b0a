/** A store in one file, as an example of a store of another library. */
module com.example.notebook {
    requires io.tallystick.store;
    requires io.tallystick.storage;

    provides io.tallystick.store.spi.ObjectStoreProvider with
            com.example.notebook.NotebookProvider;
    provides io.tallystick.store.spi.StoreInspector with
            com.example.notebook.NotebookInspector;
}
