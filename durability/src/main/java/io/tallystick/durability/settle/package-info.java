/** What people do about transactions in doubt, against a model: no command may contradict a decision. */
package io.tallystick.durability.settle;
