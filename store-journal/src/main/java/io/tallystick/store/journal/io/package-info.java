/** How bytes of a log reach the disk, found out by trial. */
package io.tallystick.store.journal.io;
