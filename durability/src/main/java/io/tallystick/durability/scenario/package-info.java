/** The scenarios that run under schedules. They are loaded by the class loader of the instrumented classes. */
package io.tallystick.durability.scenario;
