/** The lock-free parts of the group commit under jcstress. */
package io.tallystick.store.log.commit;
