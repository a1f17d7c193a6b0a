/**
 * The group commit: which thread writes when, and how the others wait. Begin with {@link
 * io.tallystick.store.log.commit.GroupCommit}.
 */
@NullMarked
package io.tallystick.store.log.commit;

import org.jspecify.annotations.NullMarked;
