/**
 * Tallystick in a Spring Boot application: the store is opened when the context is refreshed, and installed before
 * Narayana recovers. The properties are {@code tallystick.*}.
 */
package io.tallystick.spring.boot;
