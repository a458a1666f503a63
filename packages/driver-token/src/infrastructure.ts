import { type ManagedClusterAddOn, ManagedClusterAddOnCondition } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';

/** Whether the hub has made a service account for an add-on. */
export type TokenInfrastructure =
  | { readonly ready: false; readonly why: string }
  | { readonly ready: true; readonly serviceAccountUid: string };

/** Reads it from the condition TokenInfrastructureReady. Throws, in OCM's words, if its message names no service account. */
export function tokenInfrastructure({ status }: ManagedClusterAddOn): TokenInfrastructure {
  const type = ManagedClusterAddOnCondition.TokenInfrastructureReady;
  const condition = findCondition(status?.conditions, type);
  if (condition?.status === 'True') return { ready: true, serviceAccountUid: uidIn(condition.message) };
  const why = condition ? `the hub could not make a service account: ${condition.message}` : `the hub to set ${type}`;
  return { ready: false, why };
}

/** Before the uid in the message, which is part of the wire contract: `ServiceAccount c1/work-agent (UID: 1234) is ready`. */
const before = 'UID: ';

function uidIn(message: string): string {
  const start = message.indexOf(before);
  if (start === -1) throw new Error(`ServiceAccount UID not found in message: ${message}`);
  const rest = message.slice(start + before.length);
  const end = rest.indexOf(')');
  if (end === -1) throw new Error(`malformed ServiceAccount UID in message: ${message}`);
  if (end === 0) throw new Error(`empty ServiceAccount UID in message: ${message}`);
  return rest.slice(0, end);
}
