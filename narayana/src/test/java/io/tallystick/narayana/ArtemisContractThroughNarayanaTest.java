package io.tallystick.narayana;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

@EnabledIfSystemProperty(
        named = "narayana.contract",
        matches = "all",
        disabledReason = "the adaptor is asked over memory and one journal; for all stores -Dnarayana.contract=all")
class ArtemisContractThroughNarayanaTest extends ContractThroughNarayana {
    ArtemisContractThroughNarayanaTest() {
        super(StoreKind.ARTEMIS_CHANNEL);
    }
}
