import { KubeError } from '@flotilla/kube';
import type { Transport } from '@flotilla/kube/transport';

/** A kind of objects as a cluster serves it. */
export interface FoundResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind?: { readonly kind?: string };
  readonly scope: string;
  readonly singularResource?: string;
  readonly shortNames?: readonly string[];
  readonly verbs?: readonly string[];
}

interface DiscoveredGroup {
  readonly metadata?: { readonly name?: string };
  readonly versions: readonly { readonly version: string; readonly resources?: readonly DiscoveredResource[] }[];
}

const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

/** Finds what kubectl would find: by plural, singular or short name, or kind; `deployments.apps` names the group too. */
export async function findResource(transport: Transport, type: string, deadlineMs: number): Promise<FoundResource> {
  const [name = '', ...rest] = type.toLowerCase().split('.');
  const wantedGroup = rest.length > 0 ? rest.join('.') : undefined;
  for (const path of ['/api', '/apis']) {
    const { body } = await transport.request({ method: 'GET', path, headers: { accept }, deadlineMs });
    const { items = [] } = JSON.parse(body) as { items?: readonly DiscoveredGroup[] };
    for (const { metadata, versions } of items) {
      const group = metadata?.name ?? '';
      if (wantedGroup !== undefined && wantedGroup !== group) continue;
      const [preferred] = versions;
      const found = preferred?.resources?.find((one) => isNamed(one, name) && one.verbs?.includes('list'));
      if (!preferred || !found) continue;
      const { resource: plural, responseKind, scope } = found;
      const kind = responseKind?.kind ?? plural;
      return { group, version: preferred.version, plural, kind, namespaced: scope === 'Namespaced' };
    }
  }
  throw new KubeError('UnknownKind', `the cluster does not serve "${type}"`, {
    hint: 'See what it serves: `flotilla proxy kubectl --cluster NAME -- api-resources`.',
  });
}

const isNamed = ({ resource, singularResource, shortNames, responseKind }: DiscoveredResource, name: string): boolean =>
  resource === name ||
  singularResource === name ||
  responseKind?.kind?.toLowerCase() === name ||
  (shortNames?.includes(name) ?? false);

/** Where its objects are listed. */
export function listPath({ group, version, plural, namespaced }: FoundResource, namespace: string | undefined): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : ''}/${plural}`;
}
