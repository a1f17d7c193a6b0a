/**
 * Threads under a scheduler that decides by a seed who runs next, so that an interleaving can be repeated. Code under test is
 * compiled a second time, with the classes of this package in the place of their namesakes in {@code java.util.concurrent}.
 */
package io.tallystick.testkit.schedule;
