/** What the writer of a store needs beside the contract: the provider, the state machine, and the statistics. */
package io.tallystick.store.spi;
