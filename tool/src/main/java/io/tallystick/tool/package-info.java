/** The command-line tool {@code tallystick}: docs/tool.md is its manual. */
package io.tallystick.tool;
