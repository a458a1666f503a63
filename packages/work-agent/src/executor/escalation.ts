import type { KubeObject, ResourceType } from '@flotilla/api-types';
import {
  clusterRoleBindings,
  clusterRoles,
  createKubeClient,
  type KubeClient,
  KubeError,
  type KubeRequest,
  roleBindings,
  roles,
  type Transport,
} from '@flotilla/kube';
import type { ExecutorTarget } from './access-review.ts';
import type { ExecutorSubject } from './subject.ts';

const guarded: readonly ResourceType[] = [roles, roleBindings, clusterRoles, clusterRoleBindings];

/** The kind of a target by which somebody could get more rights than they have; undefined for all others. */
export const guardedKind = ({ group, resource }: ExecutorTarget): ResourceType | undefined =>
  guarded.find((kind) => kind.group === group && kind.plural === resource);

/**
 * Whether the server would refuse the object if the executor itself created it. Access reviews do not tell: giving away rights that
 * one does not have is refused only when it is tried. The server judges that before it looks whether the object exists.
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

/** The same connections, as somebody else. */
const actingAs = (transport: Transport, user: string): Transport => {
  const impersonated = (request: KubeRequest): KubeRequest => ({
    ...request,
    headers: { ...request.headers, 'impersonate-user': user },
  });
  return {
    request: (request) => transport.request(impersonated(request)),
    stream: (request) => transport.stream(impersonated(request)),
    moved: transport.moved,
    close: async () => {},
  };
};
