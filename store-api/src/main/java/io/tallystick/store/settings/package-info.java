/**
 * The one way in which this library reads its configuration. A {@link io.tallystick.store.settings.Setting} is one
 * key. A {@link io.tallystick.store.settings.SettingFamily} is all keys that begin alike. {@link
 * io.tallystick.store.settings.Settings} are the values that the places of the configuration give them.
 *
 * <p>The stores' keys are read here, and so are those of the reaper. The reaper itself is configured in Java alone,
 * because it knows no other module. The module {@code narayana} knows both: it reads the keys and hands typed options
 * to the reaper.
 */
package io.tallystick.store.settings;
