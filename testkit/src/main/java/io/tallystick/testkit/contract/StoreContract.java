package io.tallystick.testkit.contract;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;

/** The store under test, common to all parts of the contract suite. */
interface StoreContract {
    /** The store under test, a new one for each test. */
    StoreUnderTest subject();

    /** The store of this test. */
    default ObjectStore store() {
        return subject().store();
    }

    /** A different key of one type for each number. */
    default StateKey key(long number) {
        return subject().key(number);
    }
}
