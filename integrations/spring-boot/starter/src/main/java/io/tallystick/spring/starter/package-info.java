/**
 * The one dependency of a Spring Boot application: Narayana, the journal, and the configuration of both. It has no code
 * of its own.
 */
package io.tallystick.spring.starter;
