/**
 * The parts of {@code AuditNode} and {@code SettleBranch}: looks at the resources, the log as it is read, the
 * judgement, the report, the end of one branch. Internal.
 */
package io.tallystick.narayana.audit;
