/** The bytes of one record; docs/format/journal-v1.md is the authority. */
@NullMarked
package io.tallystick.store.log.record;

import org.jspecify.annotations.NullMarked;
