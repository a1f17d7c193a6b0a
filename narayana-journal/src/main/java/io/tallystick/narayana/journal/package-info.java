/**
 * The one artifact for a user of Narayana: the adaptor, the journal, and the faster ways to the disk. It has no
 * classes of its own.
 */
package io.tallystick.narayana.journal;
