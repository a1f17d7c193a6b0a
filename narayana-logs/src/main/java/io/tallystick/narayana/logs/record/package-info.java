/**
 * One record of Narayana's, decoded without running any of its code, and the transaction in doubt that it stands for.
 * The command-line tool and the running process use the same classes, so both say the same words.
 */
package io.tallystick.narayana.logs.record;
