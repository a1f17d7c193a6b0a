/**
 * What Narayana writes, read without running any of its code: the log records of transactions, and the names it gives to
 * states.
 */
package io.tallystick.tool.narayana;
