/**
 * Ways to the disk through system calls that the JDK does not make.
 *
 * <p>A device ({@link io.tallystick.nativeio.AioDevice}) wraps any disk in a {@code NativeDisk}. Its files that are
 * opened past the page cache are {@code NativeFile}s, which check their arguments and write through a {@code Lane}. A
 * lane is a queue of the kernel with room for one write. The {@code LanePool} lends it to one thread at a time. An
 * {@code Engine} makes the lanes and the descriptors.
 */
package io.tallystick.nativeio;
