import { createHash } from 'node:crypto';
import { Label, type ManagedCluster, ManagedNamespaceCondition, ManagedNamespaceReason } from '@flotilla/api-types';
import {
  type CachedResource,
  type KubeClient,
  KubeError,
  type Namespace,
  namespaces as namespaceKind,
  setCondition,
} from '@flotilla/kube';

type ManagedNamespaces = NonNullable<NonNullable<ManagedCluster['status']>['managedNamespaces']>;

/** Tells hubs apart on the cluster: lower-case hex SHA-256 of the hub's address. */
export const hubHash = (server: string): string => createHash('sha256').update(server).digest('hex');

/** The label of namespaces that a hub manages. */
export const managedNamespaceLabel = (hash: string): string =>
  Label.ManagedNamespace.of({ hubHash: hash.slice(0, 63) });

/** What managing namespaces needs. */
export interface ManagedNamespaceOptions {
  readonly namespaces: Pick<CachedResource<Namespace>, 'find' | 'create' | 'replace' | 'list'>;
  readonly label: string;
  readonly now: number;
}

/**
 * Creates and labels the namespaces that cluster sets of the hub ask for, and marks those that they gave up; none is ever deleted.
 * Answers the list with a condition per namespace, or undefined if the hub asks for none.
 */
export async function applyManagedNamespaces(
  cluster: ManagedCluster,
  { namespaces, label, now }: ManagedNamespaceOptions,
): Promise<ManagedNamespaces | undefined> {
  const wanted = cluster.metadata?.deletionTimestamp ? [] : (cluster.status?.managedNamespaces ?? []);
  const applied: ManagedNamespaces = [];
  for (const entry of wanted) {
    const problem = await ensure(entry.name);
    const type = ManagedNamespaceCondition.Available;
    const input =
      problem === undefined
        ? {
            type,
            status: 'True' as const,
            reason: ManagedNamespaceReason.Available.NamespaceApplied,
            message: 'Namespace successfully applied and managed',
          }
        : {
            type,
            status: 'False' as const,
            reason: ManagedNamespaceReason.Available.NamespaceApplyFailed,
            message: `Failed to apply namespace: ${problem}`,
          };
    applied.push({ ...entry, conditions: [...setCondition(entry.conditions, input, now)] });
  }
  const names = new Set(wanted.map(({ name }) => name));
  for (const namespace of namespaces.list()) {
    if (namespace.metadata?.labels?.[label] !== 'true' || names.has(namespace.metadata.name ?? '')) continue;
    await namespaces.replace(labelled(namespace, 'false'));
  }
  return wanted.length === 0 ? undefined : applied;

  async function ensure(name: string): Promise<string | undefined> {
    try {
      const current = await namespaces.find(name);
      if (!current) await namespaces.create(labelled({ metadata: { name } }, 'true'));
      else if (current.metadata?.labels?.[label] !== 'true') await namespaces.replace(labelled(current, 'true'));
      return undefined;
    } catch (error) {
      return KubeError.from(error).message;
    }
  }

  function labelled(namespace: Namespace, value: 'true' | 'false'): Namespace {
    const labels = { ...namespace.metadata?.labels, [label]: value };
    return { ...namespace, metadata: { ...namespace.metadata, labels } };
  }
}

/** Marks what an earlier hub managed as not managed any more: that hub will not do it. Other hubs' labels are left alone. */
export async function releaseNamespaces(spoke: KubeClient, server: string, signal: AbortSignal): Promise<void> {
  const label = managedNamespaceLabel(hubHash(server));
  const handle = spoke.resource(namespaceKind);
  const { items } = await handle.list({ labelSelector: `${label}=true`, signal });
  for (const { metadata } of items) {
    const body = { metadata: { labels: { [label]: 'false' } } };
    await handle.patch(metadata?.name ?? '', { type: 'merge', body }, { signal });
  }
}
