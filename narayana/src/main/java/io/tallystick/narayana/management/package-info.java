/** What management clients see of an open store. */
package io.tallystick.narayana.management;
