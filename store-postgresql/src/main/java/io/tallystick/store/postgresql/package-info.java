/**
 * A store in a PostgreSQL database: each batch of records is a row, written with one statement that checks who owns the
 * log. Begin with {@link io.tallystick.store.postgresql.PostgresLog} for the writing, and with {@link
 * io.tallystick.store.postgresql.Ownership} for who may write.
 */
package io.tallystick.store.postgresql;
