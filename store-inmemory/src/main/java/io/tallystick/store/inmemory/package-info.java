/** A store in memory: the whole contract but durability, and the ceiling that every other store is measured against. */
package io.tallystick.store.inmemory;
