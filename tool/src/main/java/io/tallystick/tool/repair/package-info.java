/** Commands that change the files of a store that is not open: repair and compact. */
package io.tallystick.tool.repair;
