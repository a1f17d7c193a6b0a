module org.example.journal {
    requires io.tallystick.store;

    exports org.example.journal;
}
