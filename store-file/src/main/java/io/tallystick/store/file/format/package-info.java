/**
 * The bytes of a file that holds one state, and the names of files and directories; docs/format/file-v1.md is the
 * authority.
 */
@NullMarked
package io.tallystick.store.file.format;

import org.jspecify.annotations.NullMarked;
