// What guides use of kubectl, for suites that need no binaries of Kubernetes: get, apply -f, patch, delete and logs. Tables come from the server.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createKubeClient, type KubeClient, KubeError, kubeconfigAccess, realClock } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import { parseAllDocuments, stringify } from 'yaml';

/** The part of discovery that finds a kind by one of its names. */
interface Discovered {
  readonly resource: string;
  readonly responseKind: { readonly kind: string };
  readonly scope: string;
  readonly singularResource?: string;
  readonly shortNames?: readonly string[];
}

interface Group {
  readonly metadata?: { readonly name?: string };
  readonly versions: readonly { readonly version: string; readonly resources?: readonly Discovered[] }[];
}

interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority?: number }[];
  readonly rows?: readonly { readonly cells: readonly unknown[]; readonly object?: KubeObject }[];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    context: { type: 'string' },
    namespace: { type: 'string', short: 'n', default: 'default' },
    output: { type: 'string', short: 'o', default: '' },
    filename: { type: 'string', short: 'f' },
    patch: { type: 'string', short: 'p' },
    type: { type: 'string' },
    'all-namespaces': { type: 'boolean', short: 'A' },
  },
});
const [verb = '', ...args] = positionals;

async function discover(client: KubeClient, type: string) {
  // `TYPE.VERSION.GROUP` is about one version; without it, the preferred one is found first.
  const [name = '', wanted] = type.split('.');
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
  for (const path of ['/api', '/apis']) {
    const { body } = await client.transport.request({ method: 'GET', path, headers: { accept } });
    for (const { metadata, versions } of (JSON.parse(body) as { items?: Group[] }).items ?? []) {
      const isNamed = ({ resource, singularResource, responseKind, shortNames = [] }: Discovered) =>
        [resource, singularResource, responseKind.kind.toLowerCase(), ...shortNames].includes(name.toLowerCase());
      for (const { version, resources } of versions.filter((each) => !wanted || each.version === wanted)) {
        const found = resources?.find(isNamed);
        const group = metadata?.name;
        if (found) return { ...found, root: group ? `/apis/${group}/${version}` : `/api/${version}`, group, version };
      }
    }
  }
  throw new Error(`the server doesn't have a resource type "${name}"`);
}

/** The type, the names and the handle that `TYPE NAME` and `TYPE/NAME` are about. */
async function target(client: KubeClient) {
  const [type = '', name = args[1]] = (args[0] ?? '').split('/');
  const found = await discover(client, type);
  const apiVersion = found.group ? `${found.group}/${found.version}` : found.version;
  const handle = await client.dynamic({ apiVersion, kind: found.responseKind.kind });
  const isNamespaced = found.scope === 'Namespaced';
  const within = isNamespaced && !values['all-namespaces'] ? `/namespaces/${values.namespace}` : '';
  const key = isNamespaced ? `${values.namespace}/${name}` : (name ?? '');
  return { ...found, handle, name, key, isNamespaced, path: `${found.root}${within}/${found.resource}` };
}

const textOf = (value: unknown): string =>
  typeof value === 'object' && value ? JSON.stringify(value) : String(value ?? '');

/** `{.a.b[0].c\.d}`: what guides ask for. */
function jsonPath(object: unknown, template: string): string {
  return template.replace(/\{(.*?)\}/g, (_, path: string) => {
    const steps = [...path.matchAll(/\.((?:\\.|[^.[\]])+)|\[(\d+)\]/g)].map(
      ([, name, at]) => name?.replaceAll('\\', '') ?? at,
    );
    return textOf(
      steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step ?? ''], object),
    );
  });
}

function printTable({ columnDefinitions, rows = [] }: Table): string {
  const shown = columnDefinitions.map(({ priority = 0 }) => priority === 0);
  const withNamespace = values['all-namespaces'] === true;
  const lines = [
    [...(withNamespace ? ['NAMESPACE'] : []), ...columnDefinitions.map(({ name }) => name.toUpperCase())],
    ...rows.map(({ cells, object }) => [
      ...(withNamespace ? [object?.metadata?.namespace ?? ''] : []),
      ...cells.map(textOf),
    ]),
  ].map((line) => line.filter((_, at) => shown[at - (withNamespace ? 1 : 0)] ?? true));
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}

async function get(client: KubeClient): Promise<string> {
  const { path, name, handle, key, isNamespaced } = await target(client);
  if (values.output === '') {
    const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const { body } = await client.transport.request({ method: 'GET', path: name ? `${path}/${name}` : path, headers });
    const table = JSON.parse(body) as Table;
    if (table.rows?.length) return printTable(table);
    process.stderr.write(`No resources found${isNamespaced ? ` in ${values.namespace} namespace` : ''}.\n`);
    return '';
  }
  const object = name ? await handle.get(key) : await handle.list();
  return values.output.startsWith('jsonpath=') ? jsonPath(object, values.output.slice(9)) : stringify(object);
}

async function apply(client: KubeClient): Promise<string> {
  const text = await readFile(values.filename ?? '', 'utf8');
  const lines: string[] = [];
  for (const document of parseAllDocuments(text)) {
    const object: KubeObject = document.toJS();
    const handle = await client.dynamic({ apiVersion: object.apiVersion ?? '', kind: object.kind ?? '' });
    await handle.apply(object, { fieldManager: 'kubectl', force: true });
    lines.push(`${object.kind?.toLowerCase()}/${object.metadata?.name} applied`);
  }
  return lines.join('\n');
}

async function remove(client: KubeClient): Promise<string> {
  const { handle, key } = await target(client);
  await handle.get(key);
  await handle.delete(key);
  while (await handle.find(key)) await sleep(200);
  return `"${key}" deleted`;
}

/** Of a pod, or of the newest pod of a Deployment. */
async function logs(client: KubeClient): Promise<string> {
  const [first = '', name] = (args[0] ?? '').split('/');
  const pods = await client.dynamic({ apiVersion: 'v1', kind: 'Pod' });
  const { items } = await pods.list({ namespace: values.namespace });
  const pod = items
    .filter(({ metadata }) => (name ? metadata?.name?.startsWith(`${name}-`) : metadata?.name === first))
    .at(-1);
  const path = `/api/v1/namespaces/${values.namespace}/pods/${pod?.metadata?.name}/log`;
  return (await client.transport.request({ method: 'GET', path })).body;
}

async function patch(client: KubeClient): Promise<string> {
  const { handle, key } = await target(client);
  await handle.patch(key, { type: 'merge', body: JSON.parse(values.patch ?? '{}') });
  return `${key} patched`;
}

const verbs: Record<string, (client: KubeClient) => Promise<string>> = { get, apply, delete: remove, logs, patch };
const { context } = values;
const client = createKubeClient({
  access: kubeconfigAccess({ files: process.env.KUBECONFIG ?? '', clock: realClock, ...(context && { context }) }),
});
try {
  const run = verbs[verb];
  if (!run) throw new Error(`this kubectl cannot ${verb}`);
  const out = await run(client);
  if (out !== '') process.stdout.write(`${out.trimEnd()}\n`);
} catch (error) {
  const message = KubeError.is(error, 'NotFound')
    ? `Error from server (NotFound): ${args.join(' ')} not found`
    : String(error);
  process.stderr.write(`${message.replace(/^Error: /, 'error: ')}\n`);
  process.exitCode = 1;
} finally {
  await client.close();
}
