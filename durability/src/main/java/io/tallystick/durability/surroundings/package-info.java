/** The world around a store: locale, user, limits, room, clock and options, which change from one life to the next. */
package io.tallystick.durability.surroundings;
