/** Commands that only read a store: list, show, stat, verify. */
package io.tallystick.tool.inspect;
