/** The base of all commands: how a command finds and opens a store, writes its output, and ends. */
package io.tallystick.tool.command;
