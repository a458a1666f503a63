import { createKubeClient, type KubeClient, KubeError } from '@flotilla/kube';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '@flotilla/kube/kinds';
import type { KubeRequest, Transport } from '@flotilla/kube/transport';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import type { ExecutorTarget } from './access-review.ts';
import type { ExecutorSubject } from './subject.ts';

const guarded: readonly ResourceType[] = [roles, roleBindings, clusterRoles, clusterRoleBindings];

/** The kind of a target that could grant more rights than the executor has; undefined for all others. */
export const guardedKind = ({ group, resource }: ExecutorTarget): ResourceType | undefined =>
  guarded.find((kind) => kind.group === group && kind.plural === resource);

/**
 * Whether the server would refuse the object if the executor itself created it. An access review does not answer that: granting
 * rights that one does not have is refused only when it is tried. The server decides that before it checks whether the object exists.
 */
export async function escalates(
  client: Pick<KubeClient, 'transport'>,
  kind: ResourceType,
  { user }: ExecutorSubject,
  { namespace, manifest, signal }: { namespace: string; manifest: KubeObject; signal?: AbortSignal },
): Promise<boolean> {
  const impersonating = createKubeClient({ transport: actingAs(client.transport, user) });
  const object = namespace === '' ? manifest : { ...manifest, metadata: { ...manifest.metadata, namespace } };
  try {
    await impersonating.resource(kind).create(object, { dryRun: true, ...(signal && { signal }) });
    return false;
  } catch (error) {
    if (KubeError.is(error, 'Forbidden')) return true;
    if (KubeError.is(error, 'AlreadyExists')) return false;
    throw error;
  }
}

/** The same connections, as another user. */
const actingAs = (transport: Transport, user: string): Transport => {
  const impersonated = (request: KubeRequest): KubeRequest => ({
    ...request,
    headers: { ...request.headers, 'impersonate-user': user },
  });
  return {
    request: (request) => transport.request(impersonated(request)),
    stream: (request) => transport.stream(impersonated(request)),
    accessChanged: transport.accessChanged,
    close: async () => {},
  };
};
