package io.tallystick.store.journal.segment;

import java.nio.file.Path;

/**
 * Where and how an opening makes its segments.
 *
 * @param directory the store's directory
 * @param segmentBytes size of a new file
 * @param blockBytes batches begin at multiples of this
 */
record SegmentPlan(Path directory, long segmentBytes, int blockBytes) {}
