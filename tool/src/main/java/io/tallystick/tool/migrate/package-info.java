/**
 * Moves the states of one store into a new one: from our stores and from those of Narayana. docs/migration.md lists the
 * parts that are kept, and the cases of a crash.
 */
package io.tallystick.tool.migrate;
