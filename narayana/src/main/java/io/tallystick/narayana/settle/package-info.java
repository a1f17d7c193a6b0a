/** Settling transactions in doubt in the process that owns their log. */
package io.tallystick.narayana.settle;
