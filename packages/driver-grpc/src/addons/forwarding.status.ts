import { isForwardingNotServed } from '@flotilla/cloudevents';
import type { KubeError } from '@flotilla/kube';
import type { DriverCondition } from '@flotilla/registration-core/contract';

/** Condition of a ManagedClusterAddOn: whether its agent reaches the API of the hub over the gRPC connection of its cluster. */
const hubAccessCondition = {
  type: 'HubAccessForwarded',
  forwarded: 'Forwarded',
  notServed: 'NotServedByHub',
  refused: 'RefusedByHub',
  failed: 'ForwardingFailed',
} as const;

/** Requests of the add-on arrive. */
export const forwarded = (server: string): DriverCondition => ({
  type: hubAccessCondition.type,
  status: 'True',
  reason: hubAccessCondition.forwarded,
  message: `the add-on reaches the API of the hub at ${server}, through the agent of its cluster`,
});

/** They do not, and why. */
export const notForwarded = (error: KubeError): DriverCondition => ({
  type: hubAccessCondition.type,
  status: 'False',
  reason: reasonOf(error),
  message: isForwardingNotServed(error) ? `${error.message}. ${error.hint}` : error.message,
});

function reasonOf(error: KubeError): string {
  if (isForwardingNotServed(error)) return hubAccessCondition.notServed;
  return error.code === 'Forbidden' ? hubAccessCondition.refused : hubAccessCondition.failed;
}
