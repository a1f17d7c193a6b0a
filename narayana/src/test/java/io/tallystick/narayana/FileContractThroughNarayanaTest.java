package io.tallystick.narayana;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Through Narayana every write is forced, and here each costs files of its own. */
@EnabledIfSystemProperty(
        named = "narayana.contract",
        matches = "all",
        disabledReason =
                "asked over memory by default, because it is minutes of forced writes; -Dnarayana.contract=all")
class FileContractThroughNarayanaTest extends ContractThroughNarayana {
    FileContractThroughNarayanaTest() {
        super(StoreKind.FILE);
    }
}
