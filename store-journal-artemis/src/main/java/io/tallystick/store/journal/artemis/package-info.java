/**
 * The journal of Apache ActiveMQ Artemis (HornetQ) as an engine: its format and its bookkeeping, over our own
 * files, with our own group commit. Begin with {@link io.tallystick.store.journal.artemis.ArtemisLog}.
 */
package io.tallystick.store.journal.artemis;
