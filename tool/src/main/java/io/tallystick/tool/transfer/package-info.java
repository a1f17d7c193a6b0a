/** Commands that carry stores as files: export, import, backup and restore. */
package io.tallystick.tool.transfer;
