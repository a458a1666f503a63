import {
  hubHashOf,
  Label,
  type ManagedCluster,
  ManagedNamespaceCondition,
  ManagedNamespaceReason,
} from '@flotilla/api-types';
import { type CachedResource, type KubeClient, KubeError } from '@flotilla/kube';
import type { EpochMs } from '@flotilla/kube/clock';
import { setCondition } from '@flotilla/kube/conditions';
import { type Namespace, namespaces as namespaceKind } from '@flotilla/kube/kinds';

type ManagedNamespaces = NonNullable<NonNullable<ManagedCluster['status']>['managedNamespaces']>;

/** The label of namespaces that the hub at an address manages. */
export const managedNamespaceLabel = (server: string): string =>
  Label.ManagedNamespace.of({ hubHash: hubHashOf(server).slice(0, 63) });

/** What managing namespaces needs. */
export interface ManagedNamespaceOptions {
  readonly namespaces: Pick<CachedResource<Namespace>, 'find' | 'create' | 'replace' | 'list'>;
  readonly label: string;
  readonly now: EpochMs;
}

/** Result of applying managed namespaces. */
export interface AppliedNamespaces {
  /** With a condition for each namespace; undefined if the hub asks for none. */
  readonly applied: ManagedNamespaces | undefined;
  /** Why a namespace could not be released; what was applied is reported all the same. */
  readonly failure?: KubeError;
}

/** Creates and labels the namespaces that cluster sets of the hub ask for, and marks those that they gave up; none is ever deleted. */
export async function applyManagedNamespaces(
  cluster: ManagedCluster,
  { namespaces, label, now }: ManagedNamespaceOptions,
): Promise<AppliedNamespaces> {
  const wanted = cluster.metadata?.deletionTimestamp ? [] : (cluster.status?.managedNamespaces ?? []);
  const applied: ManagedNamespaces = [];
  for (const entry of wanted) {
    const failure = await ensure(entry.name);
    const type = ManagedNamespaceCondition.Available;
    const input =
      failure === undefined
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
            message: `Failed to apply namespace: ${failure}`,
          };
    applied.push({ ...entry, conditions: [...setCondition(entry.conditions, input, now)] });
  }
  const names = new Set(wanted.map(({ name }) => name));
  let failure: KubeError | undefined;
  for (const namespace of namespaces.list()) {
    const { name = '', labels } = namespace.metadata ?? {};
    if (labels?.[label] !== 'true' || names.has(name)) continue;
    try {
      await namespaces.replace(labelled(namespace, 'false'));
    } catch (error) {
      const { code, message, hint } = KubeError.from(error);
      failure ??= new KubeError(code, `cannot release the namespace ${name}: ${message}`, { cause: error, hint });
    }
  }
  return { applied: wanted.length === 0 ? undefined : applied, ...(failure && { failure }) };

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
  const label = managedNamespaceLabel(server);
  const handle = spoke.resource(namespaceKind);
  const { items } = await handle.list({ labelSelector: `${label}=true`, signal });
  for (const { metadata } of items) {
    const body = { metadata: { labels: { [label]: 'false' } } };
    await handle.patch(metadata?.name ?? '', { type: 'merge', body }, { signal });
  }
}
