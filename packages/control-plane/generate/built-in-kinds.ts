// Writes src/schema/built-in-kinds.json from a running API server: the shape of the built-in kinds, without their sentences.
//
//   kubectl proxy --port 8001 & node generate/built-in-kinds.ts http://127.0.0.1:8001
import { writeFileSync } from 'node:fs';
import { isRecord } from '@flotilla/schema';

/** Group versions that the embedded control plane serves. */
const groupVersions = [
  'v1',
  'admissionregistration.k8s.io/v1',
  'apiextensions.k8s.io/v1',
  'apiregistration.k8s.io/v1',
  'apps/v1',
  'authentication.k8s.io/v1',
  'authorization.k8s.io/v1',
  'autoscaling/v2',
  'autoscaling/v1',
  'batch/v1',
  'certificates.k8s.io/v1',
  'coordination.k8s.io/v1',
  'discovery.k8s.io/v1',
  'events.k8s.io/v1',
  'flowcontrol.apiserver.k8s.io/v1',
  'networking.k8s.io/v1',
  'node.k8s.io/v1',
  'policy/v1',
  'rbac.authorization.k8s.io/v1',
  'scheduling.k8s.io/v1',
  'storage.k8s.io/v1',
];

/** What the issue of serving them leaves out: kinds that need a kubelet, a scheduler or an allocator to mean anything. */
const omitted = new Set([
  'bindings',
  'componentstatuses',
  'ipaddresses',
  'servicecidrs',
  'clustertrustbundles',
  'leasecandidates',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);

const omittedSubresources = new Set([
  'exec',
  'attach',
  'portforward',
  'proxy',
  'log',
  'binding',
  'ephemeralcontainers',
  'resize',
]);

/** What requests and answers are made of besides the kinds, for OpenAPI documents. */
const sharedDefinitions = ['APIResourceList', 'DeleteOptions', 'ListMeta', 'Patch', 'Status'].map(
  (name) => `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`,
);

interface Resource {
  name: string;
  singularName: string;
  namespaced: boolean;
  kind: string;
  group?: string;
  version?: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

const server = process.argv[2];
if (!server) throw new Error('Say where the API server is: node generate/built-in-kinds.ts http://127.0.0.1:8001');

async function get<T = JsonObject>(path: string, accept = 'application/json'): Promise<T> {
  const response = await fetch(`${server}${path}`, { headers: { accept } });
  if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** Drops the sentences, and writes the reference with a default that OpenAPI wraps in allOf as one plain object. */
function shapeOf(value: Json): Json {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (!isRecord(value)) return value;
  const shape: JsonObject = {};
  for (const [key, child] of Object.entries(value)) {
    if (key === 'description' && typeof child === 'string') continue;
    if (key === 'x-kubernetes-group-version-kind' || key === 'x-kubernetes-unions') continue;
    if (key === 'allOf' && Array.isArray(child) && child.length === 1 && isRecord(child[0]))
      Object.assign(shape, shapeOf(child[0]));
    else if (key === 'properties' && isRecord(child)) {
      // A property may itself be called "description": its schema is kept.
      shape.properties = Object.fromEntries(Object.entries(child).map(([name, schema]) => [name, shapeOf(schema)]));
    } else if (key === '$ref' && typeof child === 'string') shape.$ref = child.replace('#/components/schemas/', '');
    else shape[key] = shapeOf(child);
  }
  return shape;
}

const definitions = new Map<string, Json>();

function keepDefinition(name: string, schemas: JsonObject): void {
  if (definitions.has(name)) return;
  const shape = shapeOf(schemas[name] ?? {});
  definitions.set(name, shape);
  for (const reference of JSON.stringify(shape).matchAll(/"\$ref":"([^"]+)"/g))
    keepDefinition(reference[1] ?? '', schemas);
}

/** The definition whose group-version-kind is the wanted one; shared kinds such as DeleteOptions carry many and are skipped. */
function definitionOf(schemas: JsonObject, group: string, version: string, kind: string): string | undefined {
  return Object.entries(schemas).find(([, schema]) => {
    const kinds = isRecord(schema) ? schema['x-kubernetes-group-version-kind'] : undefined;
    if (!Array.isArray(kinds) || kinds.length !== 1 || !isRecord(kinds[0])) return false;
    return kinds[0].group === group && kinds[0].version === version && kinds[0].kind === kind;
  })?.[0];
}

/** Asks for a table of nothing, which still has its columns. */
async function columnsOf(groupVersion: string, resource: Resource): Promise<Json> {
  if (!resource.verbs.includes('list')) return [];
  const root = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
  const table = await get(`${root}/${resource.name}?limit=1`, 'application/json;as=Table;g=meta.k8s.io;v=v1');
  if (!Array.isArray(table.columnDefinitions)) return [];
  return table.columnDefinitions.filter(isRecord).map(({ name = '', type = '', format = '', priority = 0 }) => ({
    name,
    type,
    ...(format !== '' && { format }),
    ...(priority !== 0 && { priority }),
  }));
}

async function kindsOf(groupVersion: string): Promise<JsonObject[]> {
  const root = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
  const [group = '', version = ''] = groupVersion.includes('/') ? groupVersion.split('/') : ['', groupVersion];
  const { resources } = await get<{ resources: Resource[] }>(root);
  const document = await get(`/openapi/v3${root}`);
  const components = isRecord(document.components) ? document.components : {};
  const schemas = isRecord(components.schemas) ? components.schemas : {};
  for (const name of sharedDefinitions) if (isRecord(schemas[name])) keepDefinition(name, schemas);
  const kinds: JsonObject[] = [];
  for (const resource of resources.filter(({ name }) => !name.includes('/') && !omitted.has(name))) {
    const definition = definitionOf(schemas, group, version, resource.kind);
    if (!definition) throw new Error(`${groupVersion} ${resource.kind} has no definition in /openapi/v3`);
    keepDefinition(definition, schemas);
    const subresources = resources.filter(({ name }) => name.startsWith(`${resource.name}/`));
    for (const subresource of subresources) {
      const own = definitionOf(schemas, subresource.group || group, subresource.version || version, subresource.kind);
      if (own) keepDefinition(own, schemas);
    }
    kinds.push({
      group,
      version,
      kind: resource.kind,
      plural: resource.name,
      singular: resource.singularName,
      namespaced: resource.namespaced,
      verbs: resource.verbs,
      ...(resource.shortNames && { shortNames: resource.shortNames }),
      ...(resource.categories && { categories: resource.categories }),
      subresources: subresources
        .map((subresource) => ({
          name: subresource.name.slice(resource.name.length + 1),
          kind: subresource.kind,
          ...(subresource.group && { group: subresource.group }),
          ...(subresource.version && { version: subresource.version }),
          verbs: subresource.verbs,
        }))
        .filter(({ name }) => !omittedSubresources.has(name)),
      columns: await columnsOf(groupVersion, resource),
      definition,
    });
  }
  return kinds;
}

const kinds: JsonObject[] = [];
for (const groupVersion of groupVersions) kinds.push(...(await kindsOf(groupVersion)));
const version = await get('/version');

// One kind or definition per line: small, and a change of one shows as one line in a diff.
const line = (entries: string[]): string => entries.join(',\n');
const output = `{
"kubernetes": ${JSON.stringify(version.gitVersion ?? '')},
"kinds": [
${line(kinds.map((kind) => JSON.stringify(kind)))}
],
"definitions": {
${line([...definitions].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, shape]) => `${JSON.stringify(name)}:${JSON.stringify(shape)}`))}
}
}
`;
const file = new URL('../src/schema/built-in-kinds.json', import.meta.url);
writeFileSync(file, output);
process.stdout.write(`${kinds.length} kinds, ${definitions.size} definitions, ${output.length} bytes\n`);
