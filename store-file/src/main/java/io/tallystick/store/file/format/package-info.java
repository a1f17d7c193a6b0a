/**
 * The bytes of a file that holds one state, and the names of files and directories; docs/format/file-v1.md is the
 * authority.
 */
package io.tallystick.store.file.format;
