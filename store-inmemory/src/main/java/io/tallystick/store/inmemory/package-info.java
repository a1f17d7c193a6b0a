/**
 * A store in memory: the whole contract except durability. It is the ceiling that every other store is measured
 * against.
 */
package io.tallystick.store.inmemory;
