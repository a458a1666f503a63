import type { KubeClient } from '@flotilla/kube';
import type { HttpMethod } from '@flotilla/kube/transport';

/** A resource of the API server, from its discovery. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  /** `pods`, or `pods/log`. */
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** One request of the matrix, and what RBAC sees of it. */
export interface Call {
  readonly method: HttpMethod;
  readonly path: string;
  readonly body?: string;
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly namespace?: string;
  readonly name?: string;
}

interface ResourceList {
  readonly groupVersion: string;
  readonly resources: readonly { name: string; kind: string; namespaced: boolean; verbs: readonly string[] }[];
}

/** All that a server serves, subresources and old versions too. */
export async function discoverAll({ transport }: KubeClient): Promise<ServedResource[]> {
  const read = async (path: string) => JSON.parse((await transport.request({ method: 'GET', path })).body);
  const groups: { groups: readonly { versions: readonly { groupVersion: string }[] }[] } = await read('/apis');
  const versions = groups.groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => `/apis/${groupVersion}`));
  const lists: ResourceList[] = await Promise.all(['/api/v1', ...versions].map(read));
  return lists.flatMap(({ groupVersion, resources }) => {
    const [version = '', group = ''] = groupVersion.split('/').reverse();
    return resources.map((resource) => ({ ...resource, group, version }));
  });
}

const methods: Readonly<Record<string, HttpMethod>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};
const onCollections = new Set(['list', 'watch', 'create', 'deletecollection']);

/** Every verb of every resource, in each of the namespaces and without one, on each of the names. Nothing is changed by them. */
export function callsOf(
  served: readonly ServedResource[],
  over: { readonly namespaces: readonly string[]; readonly names: Readonly<Record<string, readonly string[]>> },
): Call[] {
  return served.flatMap(({ group, version, name: resource, kind, namespaced, verbs }) => {
    const [plural = '', subresource] = resource.split('/');
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    return verbs.flatMap((verb) => {
      const method = methods[verb];
      if (method === undefined) return [];
      const isCollection = subresource === undefined && onCollections.has(verb);
      // Across all namespaces, objects can be listed and watched.
      const everywhere = namespaced && isCollection && method === 'GET' ? [undefined] : [];
      const namespaces = namespaced ? [...over.namespaces, ...everywhere] : [undefined];
      const names = isCollection ? [undefined] : (over.names[plural] ?? ['thing']);
      return namespaces.flatMap((namespace) =>
        names.map((name): Call => {
          const place = namespace === undefined ? '' : `/namespaces/${namespace}`;
          const object = [plural, name, subresource].filter((part) => part !== undefined).join('/');
          const query = method === 'GET' ? (verb === 'watch' ? '?watch=true&timeoutSeconds=1' : '') : '?dryRun=All';
          const apiVersion = group === '' ? version : `${group}/${version}`;
          const body = method === 'GET' || method === 'DELETE' ? undefined : JSON.stringify({ apiVersion, kind });
          return {
            method,
            path: `${root}${place}/${object}${query}`,
            ...(body !== undefined && { body }),
            group,
            resource,
            verb,
            ...(namespace !== undefined && { namespace }),
            ...(name !== undefined && { name }),
          };
        }),
      );
    });
  });
}

/** A rule of the roles that an accepted cluster has. `own`: only in its namespace, or on the object of its name. `name`: only this object. */
interface Grant {
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly string[];
  readonly own: boolean;
  readonly name?: string;
}

/**
 * What the hub grants to an accepted cluster, and Kubernetes to all users: as OCM does, but that of leases only the heartbeat can be
 * changed. Requests can be read by every cluster, because RBAC knows
 * no labels: they hold no secrets, and only those with the name of a cluster can be written by the hub only.
 */
const grants: readonly Grant[] = [
  {
    group: 'certificates.k8s.io',
    resource: 'certificatesigningrequests',
    verbs: ['create', 'get', 'list', 'watch'],
    own: false,
  },
  { group: 'authentication.k8s.io', resource: 'selfsubjectreviews', verbs: ['create'], own: false },
  { group: 'authorization.k8s.io', resource: 'selfsubjectaccessreviews', verbs: ['create'], own: false },
  { group: 'authorization.k8s.io', resource: 'selfsubjectrulesreviews', verbs: ['create'], own: false },
  { group: 'cluster.open-cluster-management.io', resource: 'managedclusters', verbs: ['get', 'update'], own: true },
  {
    group: 'cluster.open-cluster-management.io',
    resource: 'managedclusters/status',
    verbs: ['patch', 'update'],
    own: true,
  },
  { group: 'coordination.k8s.io', resource: 'leases', verbs: ['get', 'list', 'watch'], own: true },
  { group: 'coordination.k8s.io', resource: 'leases', verbs: ['update'], own: true, name: 'managed-cluster-lease' },
  {
    group: 'addon.open-cluster-management.io',
    resource: 'managedclusteraddons',
    verbs: ['get', 'list', 'watch'],
    own: true,
  },
  {
    group: 'addon.open-cluster-management.io',
    resource: 'managedclusteraddons/status',
    verbs: ['patch', 'update'],
    own: true,
  },
  { group: '', resource: 'events', verbs: ['create', 'patch', 'update'], own: true },
  { group: 'events.k8s.io', resource: 'events', verbs: ['create', 'patch', 'update'], own: true },
  {
    group: 'work.open-cluster-management.io',
    resource: 'manifestworks',
    verbs: ['get', 'list', 'watch', 'update', 'patch'],
    own: true,
  },
  { group: 'work.open-cluster-management.io', resource: 'manifestworks/status', verbs: ['patch', 'update'], own: true },
];

/** Whether a call is one that the accepted cluster may make. */
export const isGranted = (call: Call, cluster: string): boolean =>
  grants.some(
    ({ group, resource, verbs, own, name }) =>
      group === call.group &&
      resource === call.resource &&
      verbs.includes(call.verb) &&
      (name === undefined || name === call.name) &&
      (!own || (call.namespace ?? call.name) === cluster),
  );
