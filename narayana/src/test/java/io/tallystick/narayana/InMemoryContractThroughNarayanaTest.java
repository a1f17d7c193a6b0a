package io.tallystick.narayana;

class InMemoryContractThroughNarayanaTest extends ContractThroughNarayana {
    InMemoryContractThroughNarayanaTest() {
        super(StoreKind.INMEMORY);
    }
}
