/**
 * What leaves pure Java: ways to the disk through system calls that the JDK does not make.
 *
 * <p>A device ({@link io.tallystick.nativeio.AioDevice}) wraps any disk in a {@code NativeDisk}; the files of that disk
 * that are opened past the page cache become {@code NativeFile}s, which check what they are given and write through a
 * {@code Lane}: a queue of the kernel with room for one write, lent to one thread at a time by the {@code LanePool}.
 * What a lane and a descriptor are is the {@code Engine}'s business.
 */
package io.tallystick.nativeio;
