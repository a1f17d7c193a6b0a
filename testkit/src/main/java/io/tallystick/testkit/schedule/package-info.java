/**
 * Threads under a scheduler: a seed decides which one runs next, so that an interleaving can be repeated. Code under
 * test is rewritten, with the classes of this package in the place of their namesakes in {@code java.util.concurrent}.
 */
package io.tallystick.testkit.schedule;
