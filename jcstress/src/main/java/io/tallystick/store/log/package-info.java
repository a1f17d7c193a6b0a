/** What readers see of a version on its way, under jcstress. */
package io.tallystick.store.log;
