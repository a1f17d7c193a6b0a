/**
 * The tools that the writer of a store needs beside the contract: the provider, the inspector, the state machine, the
 * statistics.
 */
package io.tallystick.store.spi;
