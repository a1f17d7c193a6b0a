/**
 * Transaction timeouts that cost nothing until they happen. {@link io.tallystick.reaper.TransactionReaper} rolls back
 * what exceeds its time; a transaction manager registers each transaction as a {@link io.tallystick.reaper.Reapable}
 * and cancels the {@link io.tallystick.reaper.Registration} when the transaction ends. This package knows nothing of
 * stores and needs no other module.
 */
@NullMarked
package io.tallystick.reaper;

import org.jspecify.annotations.NullMarked;
