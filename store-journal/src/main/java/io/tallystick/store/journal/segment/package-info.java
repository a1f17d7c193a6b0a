/**
 * The segmented group-commit log: preallocated files that are recycled for ever, one durable write a batch.
 * docs/format/journal-v1.md is the authority on the bytes, docs/journal-segmented.md tells the life of one commit.
 */
package io.tallystick.store.journal.segment;
