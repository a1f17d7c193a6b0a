/**
 * What a transaction manager asks of a store: put a state on disk before the commit is announced, take it away
 * afterwards, and find it again after a crash.
 *
 * <p>Begin with {@link io.tallystick.store.ObjectStores#open} and {@link io.tallystick.store.ObjectStore}.
 */
package io.tallystick.store;
