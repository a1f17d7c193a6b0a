/**
 * Narayana's own logs: where they lie, what is in them, and whether a migration has taken it along. Nothing here needs
 * Narayana or another library.
 */
package io.tallystick.narayana.logs;
