/**
 * Decodes Narayana's data without running any of its code: the log records of transactions, and the names of states.
 */
package io.tallystick.tool.narayana;
