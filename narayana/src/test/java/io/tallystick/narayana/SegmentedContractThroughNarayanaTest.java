package io.tallystick.narayana;

class SegmentedContractThroughNarayanaTest extends ContractThroughNarayana {
    SegmentedContractThroughNarayanaTest() {
        super(StoreKind.SEGMENTED_CHANNEL);
    }
}
