/**
 * Text that people write or read: sizes, durations, names with a slip of the finger, and text from outside that is safe
 * to print. For the modules of this library.
 */
package io.tallystick.store.text;
