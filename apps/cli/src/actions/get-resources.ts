import { ClusterProxyApi } from '@flotilla/api-types';
import { KubeError, staticAccess } from '@flotilla/kube';
import { createTransport } from '@flotilla/kube/transport';
import type { KubeObject } from '@flotilla/schema';
import type { CliContext, Connection, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { formatObjects, isObjectFormat } from '../output/format.ts';
import { noResources } from '../output/table.ts';
import { findResource, listPath } from '../reach/find-resource.ts';
import { memberAccess, problemOf, reachableClusters, requireProxyApi } from '../reach/member-access.ts';
import { mergedTable, type ServerTable } from '../reach/merged-table.ts';

/** The flags of `get TYPE`. */
export interface GetResourcesOptions {
  readonly clusters?: readonly string[];
  readonly allClusters?: boolean;
  readonly namespace: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  /** The command that the user may have meant. */
  readonly suggestion?: string;
  readonly output: string;
}

/** What one cluster has. */
interface Found {
  readonly cluster: string;
  readonly namespaced: boolean;
  readonly body: unknown;
}

/** What one cluster answered. */
type Answer = Found | { readonly cluster: string; readonly problem: KubeError };

/** The annotation in the output for programs that says of which cluster an object is. */
const clusterAnnotation = `${ClusterProxyApi.group}/cluster`;
const deadlineMs = 30_000;

/** Prints objects of several clusters, asked at the same time, and says which clusters failed. */
export async function getResources(
  context: CliContext,
  type: string,
  names: readonly string[],
  options: GetResourcesOptions & GlobalOptions,
): Promise<void> {
  const { suggestion = '' } = options;
  if (!options.clusters && !options.allClusters) {
    throw new CliError(
      'usage',
      `"get ${type}" is not a command, and names no clusters to ask for ${type}`,
      `${suggestion} See \`${context.program} get --help\`, or add --clusters a,b or --all-clusters.`.trimStart(),
    );
  }
  await using hub = await context.connector.toCluster(options);
  await requireProxyApi(hub.client);
  const clusters = await reachableClusters(hub.client, options.clusters);
  if (clusters.length === 0) return void context.err.write(noResources);
  const answers = await Promise.all(clusters.map((cluster) => ask(context, hub, cluster, type, options)));
  const found = answers.filter((answer) => 'body' in answer);
  print(context, found, names, options);
  reportFailures(context, answers);
  reportAbsent(type, found, names);
}

function print(context: CliContext, found: readonly Found[], names: readonly string[], options: GetResourcesOptions) {
  const { output, allNamespaces = false } = options;
  if (isObjectFormat(output)) {
    const items = found.flatMap(({ cluster, body }) => objectsOf(cluster, body, names));
    context.out.write(formatObjects(items, output));
    return;
  }
  const tables = found.map(({ cluster, body }) => ({ cluster, table: selected(body as ServerTable, names) }));
  const namespaces = allNamespaces && found.some(({ namespaced }) => namespaced);
  const text = mergedTable(tables, { wide: output === 'wide', namespaces });
  if (text !== '') context.out.write(text);
  else if (found.length > 0 && names.length === 0) context.err.write(noResources);
}

/** Says which clusters failed and why. */
function reportFailures({ err, program }: CliContext, answers: readonly Answer[]): void {
  const failed = answers.filter((answer) => 'problem' in answer);
  if (failed.length === 0) return;
  for (const { cluster, problem } of failed) err.write(`cluster ${cluster}: ${problemOf(problem)}\n`);
  const isUnknown = failed.every(({ problem }) => problem.code === 'UnknownKind');
  const [first] = failed;
  const see = isUnknown ? `proxy kubectl --cluster ${first?.cluster} -- api-resources` : 'proxy health';
  const printed = failed.length < answers.length ? 'What is printed is of the others. ' : '';
  throw new CliError(
    'failed',
    `${failed.length} of ${answers.length} clusters failed: ${failed.map(({ cluster }) => cluster).join(', ')}`,
    `${printed}See \`${program} ${see}\`.`,
  );
}

/** A name that no cluster has is an error, as with kubectl. A cluster without it is none. */
function reportAbsent(type: string, found: readonly Found[], names: readonly string[]): void {
  const absent = names.filter((name) => !found.some(({ body }) => namesIn(body).includes(name)));
  if (absent.length === 0) return;
  throw new CliError(
    'failed',
    `no cluster has ${type} of the name ${absent.join(', ')}`,
    'Check the name, and the namespace: -n NAMESPACE, or --all-namespaces.',
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
    // One that is away does not hold up the others for long: each retry waits for as long as the hub says.
    retry: { maxRetries: 1 },
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
    return { cluster, problem: KubeError.from(error) };
  } finally {
    await transport.close();
  }
}

const isWanted = (names: readonly string[], object: KubeObject | undefined): boolean =>
  names.length === 0 || names.includes(object?.metadata?.name ?? '');

/** Of a list or a table. */
function namesIn(body: unknown): string[] {
  const { items = [], rows = [] } = body as { items?: readonly KubeObject[] } & Partial<ServerTable>;
  return [...items, ...rows.map(({ object }) => object)].map((one) => one?.metadata?.name ?? '');
}

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
