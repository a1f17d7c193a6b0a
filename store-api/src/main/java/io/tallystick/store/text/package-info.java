/**
 * Text that people write or read: sizes, durations, misspelt names, and text from outside that is safe to print. For
 * the modules of this library.
 */
package io.tallystick.store.text;
