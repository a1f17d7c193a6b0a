/**
 * Moves the states of one store into a new one: from our stores and from those of Narayana. docs/migration.md tells
 * what is kept, and what a crash finds.
 */
package io.tallystick.tool.migrate;
