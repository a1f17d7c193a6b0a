package io.tallystick.narayana;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

@EnabledIfSystemProperty(
        named = "narayana.contract",
        matches = "all",
        disabledReason =
                "asked over memory by default, because it is minutes of forced writes; -Dnarayana.contract=all")
class SegmentedContractThroughNarayanaTest extends ContractThroughNarayana {
    SegmentedContractThroughNarayanaTest() {
        super(StoreKind.SEGMENTED_CHANNEL);
    }
}
