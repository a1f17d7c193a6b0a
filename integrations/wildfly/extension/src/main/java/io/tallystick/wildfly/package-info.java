/** The subsystem {@code tallystick} of WildFly: the log of the server's transaction manager in a Tallystick store. */
package io.tallystick.wildfly;
