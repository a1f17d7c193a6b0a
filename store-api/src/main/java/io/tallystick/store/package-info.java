/**
 * The contract between a transaction manager and its store. The store puts a state on disk before the manager
 * announces a commit. It takes the state away afterwards, and finds it again after a crash.
 *
 * <p>Begin with {@link io.tallystick.store.ObjectStores#open} and {@link io.tallystick.store.ObjectStore}.
 */
package io.tallystick.store;
