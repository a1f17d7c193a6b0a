/**
 * Threads under a scheduler: a seed decides which thread runs next, so that an interleaving can be repeated. The
 * bytecode of the code under test is rewritten: classes of this package replace those of the same name in
 * {@code java.util.concurrent}.
 */
package io.tallystick.testkit.schedule;
