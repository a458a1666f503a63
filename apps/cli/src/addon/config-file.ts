import type { AddOnConfig } from '@flotilla/api-types';
import { type KubeClient, KubeError, keyOf } from '@flotilla/kube';
import { requireNamespace } from '../clusterset/find-set.ts';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { readManifests } from '../work/manifest-files.ts';
import { describeManifest, type Manifest } from '../work/manifests.ts';
import { withNamespaces } from '../work/new-work.ts';

/** A configuration of a file, and how an add-on refers to it. */
export interface FileConfig {
  readonly object: Manifest;
  readonly reference: AddOnConfig;
}

/** Reads the configurations of a file, in its order. Nothing is written yet. */
export async function readConfigFile(
  context: Pick<CliContext, 'readStdin'>,
  client: KubeClient,
  file: string,
): Promise<FileConfig[]> {
  const read = await readManifests(context, [file], false).catch((cause: unknown) => {
    if (!(cause instanceof CliError)) throw cause;
    throw new CliError('usage', `failed to read config file: ${cause.message}`, cause.hint, cause);
  });
  const manifests = withNamespaces(read, await client.mapper.all());
  const configs = await Promise.all(
    manifests.map(async (object) => ({ object, reference: await referenceTo(client, object) })),
  );
  const namespaces = new Set(configs.flatMap(({ reference }) => reference.namespace ?? []));
  for (const namespace of namespaces) await requireNamespace(client, namespace);
  return configs;
}

async function referenceTo(client: KubeClient, object: Manifest): Promise<AddOnConfig> {
  const { apiVersion, kind, metadata } = object;
  if (!metadata?.name) {
    throw new CliError('usage', `${describeManifest(object)} in the config file has no name`, 'Set metadata.name.');
  }
  try {
    const { group, plural } = await client.mapper.byKind(apiVersion, kind);
    return {
      group,
      resource: plural,
      ...(metadata.namespace && { namespace: metadata.namespace }),
      name: metadata.name,
    };
  } catch (cause) {
    if (!KubeError.is(cause, 'UnknownKind', 'NotFound')) throw cause;
    const hint = 'Fix apiVersion and kind, or install the definition of the kind first.';
    throw new CliError('usage', `${describeManifest(object)}: the hub does not serve this kind`, hint, cause);
  }
}

/** Applies the configurations on the hub. */
export async function applyConfigs(
  client: KubeClient,
  configs: readonly FileConfig[],
  { fieldManager, dryRun }: { readonly fieldManager: string; readonly dryRun: boolean },
): Promise<void> {
  for (const { object } of configs) {
    const handle = await client.dynamic({ apiVersion: object.apiVersion, kind: object.kind });
    await handle.apply(object, { fieldManager, force: true, dryRun });
  }
}

/** `AddOnDeploymentConfig default/small`. */
export const describeConfig = ({ object }: FileConfig): string => `${object.kind} ${keyOf(object)}`;
