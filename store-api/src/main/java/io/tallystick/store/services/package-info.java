/** How services of this library and of others are found on the class path. For the modules of this library alone. */
package io.tallystick.store.services;
