/** The bytes of one record; docs/format/journal-v1.md is the authority. */
package io.tallystick.store.log.record;
