package io.tallystick.narayana;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Through Narayana every write is forced, and here each costs files of its own: minutes on a busy disk. */
@EnabledIfSystemProperty(
        named = "narayana.contract",
        matches = "all",
        disabledReason = "the adaptor is asked over memory and one journal; for all stores -Dnarayana.contract=all")
class FileContractThroughNarayanaTest extends ContractThroughNarayana {
    FileContractThroughNarayanaTest() {
        super(StoreKind.FILE);
    }
}
