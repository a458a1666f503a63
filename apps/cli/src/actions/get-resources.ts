import { ClusterProxyApi } from '@flotilla/api-types';
import { KubeError, staticAccess } from '@flotilla/kube';
import { createTransport } from '@flotilla/kube/transport';
import type { KubeObject } from '@flotilla/schema';
import type { CliContext, Connection, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { formatObjects, isObjectFormat } from '../output/format.ts';
import { noResources } from '../output/table.ts';
import { findResource, listPath } from '../reach/find-resource.ts';
import { memberAccess, reachableClusters, requireProxyApi } from '../reach/member-access.ts';
import { mergedTable, type ServerTable } from '../reach/merged-table.ts';

/** The flags of `get TYPE`. */
export interface GetResourcesOptions {
  readonly clusters?: readonly string[];
  readonly allClusters?: boolean;
  readonly namespace: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly output: string;
}

/** What one cluster answered. */
type Answer =
  | { readonly cluster: string; readonly namespaced: boolean; readonly body: unknown }
  | { readonly cluster: string; readonly problem: string };

/** The annotation in the output for programs that says of which cluster an object is. */
const clusterAnnotation = `${ClusterProxyApi.group}/cluster`;
const deadlineMs = 30_000;

/** Prints objects of several clusters, asked at the same time, and says which clusters did not answer. */
export async function getResources(
  context: CliContext,
  type: string,
  names: readonly string[],
  options: GetResourcesOptions & GlobalOptions,
): Promise<void> {
  const { output, allNamespaces = false } = options;
  if (!options.clusters && !options.allClusters) {
    throw new CliError(
      'usage',
      `"get ${type}" is not a command, and names no clusters to ask for ${type}`,
      `See \`${context.program} get --help\`, or add --clusters a,b or --all-clusters.`,
    );
  }
  await using hub = await context.connector.toCluster(options);
  await requireProxyApi(hub.client);
  const clusters = await reachableClusters(hub.client, options.clusters);
  if (clusters.length === 0) return void context.err.write(noResources);
  const answers = await Promise.all(clusters.map((cluster) => ask(context, hub, cluster, type, options)));
  const found = answers.filter((answer) => 'body' in answer);
  if (isObjectFormat(output)) {
    const items = found.flatMap(({ cluster, body }) => objectsOf(cluster, body, names));
    context.out.write(formatObjects(items, output));
  } else {
    const tables = found.map(({ cluster, body }) => ({ cluster, table: selected(body as ServerTable, names) }));
    const namespaces = allNamespaces && found.some(({ namespaced }) => namespaced);
    const text = mergedTable(tables, { wide: output === 'wide', namespaces });
    if (text !== '') context.out.write(text);
    else if (found.length === answers.length) context.err.write(noResources);
  }
  reportFailures(context, answers);
}

function reportFailures({ err }: CliContext, answers: readonly Answer[]): void {
  const failed = answers.filter((answer) => 'problem' in answer);
  if (failed.length === 0) return;
  for (const { cluster, problem } of failed) err.write(`cluster ${cluster}: ${problem}\n`);
  throw new CliError(
    'failed',
    `${failed.length} of ${answers.length} clusters did not answer: ${failed.map(({ cluster }) => cluster).join(', ')}`,
    'What is printed is of the others. See `flotilla proxy health`.',
  );
}

async function ask(
  { clock, env }: CliContext,
  { access }: Connection,
  cluster: string,
  type: string,
  { namespace, allNamespaces, selector, output }: GetResourcesOptions,
): Promise<Answer> {
  const transport = createTransport({
    access: staticAccess(memberAccess(access, cluster)),
    clock,
    env,
    userAgent: 'flotilla',
  });
  try {
    const resource = await findResource(transport, type, deadlineMs);
    const query = selector === undefined ? '' : `?labelSelector=${encodeURIComponent(selector)}`;
    const path = listPath(resource, allNamespaces ? undefined : namespace) + query;
    const accept = isObjectFormat(output) ? 'application/json' : 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { body } = await transport.request({ method: 'GET', path, headers: { accept }, deadlineMs });
    const { group, version, kind, namespaced } = resource;
    const list = JSON.parse(body) as object;
    return {
      cluster,
      namespaced,
      body: { ...list, itemApiVersion: group === '' ? version : `${group}/${version}`, itemKind: kind },
    };
  } catch (error) {
    return { cluster, problem: KubeError.from(error).message };
  } finally {
    await transport.close();
  }
}

const isWanted = (names: readonly string[], object: KubeObject | undefined): boolean =>
  names.length === 0 || names.includes(object?.metadata?.name ?? '');

const selected = (table: ServerTable, names: readonly string[]): ServerTable => ({
  ...table,
  rows: table.rows.filter(({ object }) => isWanted(names, object)),
});

function objectsOf(cluster: string, body: unknown, names: readonly string[]): KubeObject[] {
  const {
    items = [],
    itemApiVersion,
    itemKind,
  } = body as {
    items?: readonly KubeObject[];
    itemApiVersion: string;
    itemKind: string;
  };
  return items
    .filter((item) => isWanted(names, item))
    .map((item) => ({
      apiVersion: itemApiVersion,
      kind: itemKind,
      ...item,
      metadata: { ...item.metadata, annotations: { ...item.metadata?.annotations, [clusterAnnotation]: cluster } },
    }));
}
