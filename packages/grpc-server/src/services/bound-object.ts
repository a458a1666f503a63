import { type CloudEvent, Extension, type ObjectCodec, requiredExtension } from '@flotilla/cloudevents';
import { KubeError } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';

/**
 * The object of an event, which must belong to the cluster that the event was authorised for. Without this check an agent could name its
 * own cluster in the envelope and change the object of another one.
 */
export function boundObject<T extends KubeObject>(codec: ObjectCodec<T>, event: CloudEvent): T {
  const object = codec.decode(event);
  requireCluster(event, codec.clusterOf(object), `the ${codec.resource.kind}`);
  return object;
}

/** Throws `Forbidden` if the content of an event is about another cluster than its envelope. */
export function requireCluster(event: CloudEvent, contained: string | undefined, what: string): void {
  const clusterName = requiredExtension(event, Extension.ClusterName);
  if (contained === clusterName) return;
  const message = `access denied: ${what} of cluster ${contained} is in an event of cluster ${clusterName}`;
  throw new KubeError('Forbidden', message, { status: 403 });
}

/** For an action that a service does not have. */
export function unsupported(codec: { readonly resource: { readonly plural: string } }, action: string): KubeError {
  return new KubeError('MethodNotAllowed', `${codec.resource.plural} do not support the action ${action}`, {
    status: 405,
  });
}
