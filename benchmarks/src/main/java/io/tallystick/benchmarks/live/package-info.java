/** What a store does with much live data, and how long it takes to find it again: {@code ./bench live}. */
package io.tallystick.benchmarks.live;
