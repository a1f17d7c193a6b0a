/** A journal in one file, as an example of an engine of another library. */
module com.example.ledger {
    requires io.tallystick.store.journal;

    provides io.tallystick.store.journal.JournalEngine with
            com.example.ledger.LedgerEngine;
    provides io.tallystick.store.spi.StoreInspector with
            com.example.ledger.LedgerInspector;
}
