/** Shows decoded records of Narayana's as text and as JSON. */
package io.tallystick.tool.narayana;
