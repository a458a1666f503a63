// Writes src/protobuf/messages.json: the protobuf messages of the built-in kinds, and of what else is sent as a body. OpenAPI does not
// have field numbers; the .proto files of the Go modules do. They are taken from the modules that packages/envtest builds, so that they
// are of the same release as the other generated files.
//
//   node generate/protobuf-messages.ts
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import { shortName } from '../src/protobuf/short-name.ts';
import { isWrapper } from '../src/protobuf/wrappers.ts';

interface Shapes {
  readonly kinds: readonly { definition: string; subresources: readonly Subresource[] }[];
  readonly definitions: Readonly<Record<string, { properties?: object }>>;
}
interface Subresource {
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
}

const readJson = <T>(path: string): T => JSON.parse(readFileSync(new URL(`../src/${path}`, import.meta.url), 'utf8'));

const shapes = readJson<Shapes>('schema/built-in-kinds.json');

/** Fields of each message in JSON, by the message's short name. */
const properties = new Map<string, ReadonlySet<string>>();
for (const [definition, shape] of Object.entries(shapes.definitions)) {
  const name = shortName(definition);
  if (properties.has(name)) throw new Error(`Two definitions are called ${name}`);
  if (shape.properties) properties.set(name, new Set(Object.keys(shape.properties)));
}

/** Fields that JSON leaves out when they are empty, by the message's short name; see zero-values.ts. */
const zeroRules = new Map(
  Object.entries(readJson<Record<string, { omit?: string[] }>>('schema/built-in/zero-values.json')),
);
const omitted = new Map([...zeroRules].map(([definition, { omit }]) => [shortName(definition), new Set(omit)]));

const root = loadProtos();
const messages = new Map<string, string>();
for (const { definition, subresources } of shapes.kinds) {
  visit(shortName(definition));
  for (const { group, version, kind } of subresources) {
    if (group !== undefined) visit(`${group.split('.')[0]}.${version}.${kind}`);
  }
}
visit('meta.v1.DeleteOptions');

const lines = [...messages].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, line]) => line);
const output = `{\n${lines.join(',\n')}\n}\n`;
writeFileSync(new URL('../src/protobuf/messages.json', import.meta.url), output);
process.stdout.write(`${messages.size} messages, ${output.length} bytes\n`);

function loadProtos(): Map<string, protobuf.Type> {
  const modules = ['k8s.io/api', 'k8s.io/apimachinery', 'k8s.io/apiextensions-apiserver', 'k8s.io/kube-aggregator'];
  const cwd = fileURLToPath(new URL('../../envtest/kubernetes', import.meta.url));
  const found = execFileSync('go', ['list', '-m', '-f', '{{.Path}} {{.Dir}}', ...modules], { cwd, encoding: 'utf8' });
  const directories = found
    .trim()
    .split('\n')
    .map((line): [string, string] => {
      const [path = '', directory = ''] = line.split(' ');
      return [path, directory];
    });
  const protos = new protobuf.Root();
  protos.resolvePath = (_origin, target) => {
    const module = directories.find(([path]) => target.startsWith(`${path}/`));
    if (!module) throw new Error(`No module has ${target}`);
    return target.replace(...module);
  };
  protos.loadSync([...new Set(Object.keys(shapes.definitions).flatMap(protoOf))], { keepCase: true });
  protos.resolveAll();
  const types = new Map<string, protobuf.Type>();
  collect(protos, types);
  return types;
}

/** `io.k8s.api.core.v1.Pod` → `k8s.io/api/core/v1/generated.proto`. */
function protoOf(definition: string): string[] {
  if (
    !/^io\.k8s\.(api|apimachinery|apiextensions-apiserver|kube-aggregator)\./.test(definition) ||
    /\.version\.Info$/.test(definition)
  ) {
    return [];
  }
  const [, , ...rest] = definition.split('.').slice(0, -1);
  return [`k8s.io/${rest.join('/')}/generated.proto`];
}

function collect(namespace: protobuf.NamespaceBase, types: Map<string, protobuf.Type>): void {
  for (const nested of namespace.nestedArray) {
    if (nested instanceof protobuf.Type) types.set(shortName(nested.fullName), nested);
    else if (nested instanceof protobuf.Namespace) collect(nested, types);
  }
}

/** Adds a message and those it is made of. `owner` is the JSON object that its fields are written in. */
function visit(name: string, owner: string = name): void {
  if (messages.has(name)) return;
  const type = root.get(name);
  if (!type) throw new Error(`No .proto file has a message ${name}`);
  messages.set(name, '');
  const fields = type.fieldsArray.map((field) => [field.id, fieldOf(field, name, owner)]);
  messages.set(name, `${JSON.stringify(name)}: ${JSON.stringify(Object.fromEntries(fields))}`);
}

/** Its name in JSON, form and type; the forms are described in src/protobuf/decode-message.ts. */
function fieldOf(field: protobuf.Field, message: string, owner: string): string[] {
  if (field instanceof protobuf.MapField && field.keyType !== 'string')
    throw new Error(`${field.fullName} has odd keys`);
  const isMessage = field.resolvedType instanceof protobuf.Type;
  const type = isMessage ? shortName(field.resolvedType.fullName) : field.type;
  const json = jsonName(field.name, message, owner);
  if (json === undefined && (!isMessage || field.repeated)) throw new Error(`${field.fullName} has no name in JSON`);
  if (isMessage) visit(type, json === undefined && !properties.has(type) ? owner : type);
  return [json ?? field.name, formOf(field, json, owner), type];
}

function formOf(field: protobuf.Field, json: string | undefined, owner: string): string {
  if (json === undefined) return 'inline';
  if (field instanceof protobuf.MapField) return 'map';
  if (field.repeated) return 'list';
  return omitted.get(owner)?.has(json) ? 'nonzero' : 'one';
}

/** What JSON calls a field; undefined for a Go struct that is embedded in another, whose fields JSON writes as the other's own. */
function jsonName(name: string, message: string, owner: string): string | undefined {
  if (isWrapper(message)) return name;
  const known = properties.get(owner);
  if (!known) throw new Error(`${message} is neither an object in JSON nor a known wrapper`);
  // `uID` is `uid`, `ref` is `$ref`, `xKubernetesMapType` is `x-kubernetes-map-type`.
  const letters = (text: string): string => text.replace(/[$-]/g, '').toLowerCase();
  const candidates = [...known].filter((candidate) => letters(candidate) === letters(name));
  if (candidates.length > 1) throw new Error(`${message}.${name} may be any of ${candidates.join(', ')}`);
  return candidates[0];
}
