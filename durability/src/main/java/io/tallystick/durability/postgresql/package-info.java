/** Stages for the store in PostgreSQL: real servers, a network that fails, and owners that replace each other. */
package io.tallystick.durability.postgresql;
