import { Annotation, type ManagedCluster, type ManagedClusterAddOn, NamespaceName } from '@flotilla/api-types';
import { type ConfigProblem, type ConfigSource, resolveConfigs } from '../configs/resolve-configs.ts';
import type { AddonDefinition, HostedInfo, PerAddon } from '../definition/addon-definition.ts';
import type { AddonContext } from '../definition/context.ts';
import type { Awaitable } from '../definition/manifest.ts';

/** A context, and what is wrong with the configuration of the cluster. */
export interface ResolvedContext {
  readonly context: AddonContext;
  readonly problems: readonly ConfigProblem[];
}

/** One add-on on one cluster. */
export interface AddonOnCluster {
  readonly addon: ManagedClusterAddOn;
  readonly cluster: ManagedCluster;
}

/** Where the agent runs. A definition that does not know hosted mode is always on its own cluster, whatever annotations say. */
export function hostedInfo(
  { hosted }: Pick<AddonDefinition, 'hosted'>,
  { addon, cluster }: AddonOnCluster,
): HostedInfo {
  if (!hosted) return { mode: 'Default' };
  if (typeof hosted === 'function') return hosted(addon, cluster);
  const hostingCluster = addon.metadata?.annotations?.[Annotation.HostingClusterName];
  return hostingCluster === undefined ? { mode: 'Default' } : { mode: 'Hosted', hostingCluster };
}

/** What the functions of a definition are given. */
export function addonContext(
  definition: AddonDefinition,
  target: AddonOnCluster,
  source: ConfigSource,
  signal: AbortSignal,
): ResolvedContext {
  const { configs, problems } = resolveConfigs(
    definition.configs ?? {},
    target.addon.status?.configReferences ?? [],
    source,
  );
  const info = hostedInfo(definition, target);
  const host = info.hostingCluster === undefined ? undefined : source.cluster?.(info.hostingCluster);
  return { context: { ...target, ...info, ...(host && { host }), configs, signal }, problems };
}

/** A value that a definition gives as such or by a function. */
export async function valueFor<T extends object | string | undefined>(
  value: PerAddon<T> | undefined,
  context: AddonContext,
): Promise<T | undefined> {
  return typeof value === 'function' ? (value as (given: AddonContext) => Awaitable<T>)(context) : value;
}

/** Where the agent, its lease and its credentials are. */
export async function installNamespaceFor(definition: AddonDefinition, context: AddonContext): Promise<string> {
  const chosen = await valueFor(definition.installNamespace, context);
  return chosen || context.addon.metadata?.annotations?.[Annotation.LegacyInstallNamespace] || NamespaceName.AgentAddOn;
}
