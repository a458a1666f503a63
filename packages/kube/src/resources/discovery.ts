import type { Transport } from '../client/transport.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { ApiResource, ApiResources } from './api-resource.ts';
import { decodeJson } from './decode.ts';

/** One answer for all groups where the server can (1.26 and later); the older forms otherwise. */
const accept = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

interface AggregatedResource {
  resource: string;
  responseKind?: { group?: string; version?: string; kind?: string };
  scope?: string;
  singularResource?: string;
  verbs?: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: { subresource: string }[];
}

interface AggregatedGroups {
  kind?: string;
  items?: {
    metadata?: { name?: string };
    versions?: { version: string; freshness?: string; resources?: AggregatedResource[] }[];
  }[];
}

interface LegacyResource {
  name: string;
  kind: string;
  namespaced: boolean;
  singularName?: string;
  verbs?: string[];
  shortNames?: string[];
  categories?: string[];
}

interface LegacyGroups {
  /** Of `/api`. */
  versions?: string[];
  /** Of `/apis`. */
  groups?: { name: string; preferredVersion?: { version: string }; versions?: { version: string }[] }[];
}

interface GroupVersion {
  group: string;
  version: string;
}

/** Reads all that the server serves: one request per root, or one per group and version from an old server. */
export async function discover(transport: Transport, signal?: AbortSignal): Promise<ApiResources> {
  const get = async <T extends object>(path: string, as: string): Promise<T> => {
    const response = await transport.request({ method: 'GET', path, headers: { accept: as }, signal });
    return decodeJson<T>(response.body, `GET ${path}`);
  };

  const root = async (path: '/api' | '/apis'): Promise<ApiResources> => {
    const answer = await get<AggregatedGroups & LegacyGroups>(path, accept);
    if (answer.kind === 'APIGroupDiscoveryList') return readAggregated(answer);
    const served = await Promise.all(
      legacyVersions(answer).map(async ({ group, version }) => {
        const name = group === '' ? version : `${group}/${version}`;
        try {
          const list = await get<{ resources?: LegacyResource[] }>(`${path}/${name}`, 'application/json');
          return { resources: readLegacy(group, version, list.resources ?? []), unreachable: [] };
        } catch (error) {
          // One broken aggregated API must not hide all others.
          if (!KubeError.is(error, 'Unavailable', 'Internal', 'Timeout', 'NotFound', 'TooManyRequests')) throw error;
          return { resources: [], unreachable: [name] };
        }
      }),
    );
    return merge(served);
  };
  return merge(await Promise.all([root('/api'), root('/apis')]));
}

const merge = (parts: readonly ApiResources[]): ApiResources => ({
  resources: parts.flatMap((part) => part.resources),
  unreachable: parts.flatMap((part) => part.unreachable),
});

function readAggregated(groups: AggregatedGroups): ApiResources {
  const resources: ApiResource[] = [];
  const unreachable: string[] = [];
  for (const item of groups.items ?? []) {
    const group = item.metadata?.name ?? '';
    for (const { version, freshness, resources: served = [] } of item.versions ?? []) {
      if (freshness === 'Stale') unreachable.push(group === '' ? version : `${group}/${version}`);
      for (const entry of served) {
        // An entry without a kind only carries subresources of something served elsewhere.
        if (!entry.responseKind?.kind) continue;
        resources.push({
          group,
          version,
          kind: entry.responseKind.kind,
          plural: entry.resource,
          namespaced: entry.scope === 'Namespaced',
          singular: entry.singularResource ?? '',
          shortNames: entry.shortNames ?? [],
          categories: entry.categories ?? [],
          verbs: entry.verbs ?? [],
          subresources: (entry.subresources ?? []).map(({ subresource }) => subresource),
        });
      }
    }
  }
  return { resources, unreachable };
}

function legacyVersions(answer: LegacyGroups): GroupVersion[] {
  const core = (answer.versions ?? []).map((version) => ({ group: '', version }));
  const named = (answer.groups ?? []).flatMap(({ name, preferredVersion, versions = [] }) => {
    const preferred = preferredVersion?.version;
    const ordered = versions
      .map(({ version }) => version)
      .sort((a, b) => Number(b === preferred) - Number(a === preferred));
    return ordered.map((version) => ({ group: name, version }));
  });
  return [...core, ...named];
}

/** Subresources come as entries of their own, named `pods/log`. */
function readLegacy(group: string, version: string, entries: readonly LegacyResource[]): ApiResource[] {
  const subresourcesOf = (plural: string) =>
    entries.filter(({ name }) => name.startsWith(`${plural}/`)).map(({ name }) => name.slice(plural.length + 1));
  return entries
    .filter(({ name }) => !name.includes('/'))
    .map((entry) => ({
      group,
      version,
      kind: entry.kind,
      plural: entry.name,
      namespaced: entry.namespaced,
      singular: entry.singularName ?? '',
      shortNames: entry.shortNames ?? [],
      categories: entry.categories ?? [],
      verbs: entry.verbs ?? [],
      subresources: subresourcesOf(entry.name),
    }));
}
