/**
 * Transactions in doubt as the running process sees them: the records of the log, together with what Narayana's
 * recovery has done for them in this process.
 */
package io.tallystick.narayana.doubt;
