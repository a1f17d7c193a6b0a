/** What is run under schedules. Loaded together with the instrumented classes, and so apart from the rest. */
package io.tallystick.durability.scenario;
