/** The lock-free parts of the reaper under jcstress. */
package io.tallystick.reaper;
