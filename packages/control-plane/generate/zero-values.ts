// Writes src/schema/built-in/zero-values.json: which fields of the built-in kinds the API server leaves out when they are empty, and which
// it writes although no client set them. OpenAPI does not say so; the field tags of the Go types do.
//
//   node generate/zero-values.ts <directory with the modules api, apimachinery, apiextensions-apiserver and kube-aggregator of k8s.io>
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Zero = null | false | 0 | '' | '0' | Record<string, never>;

interface GoField {
  readonly json: string;
  readonly type: string;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  readonly inline: boolean;
}

interface GoType {
  /** The type it is another name for; unset for structs. */
  readonly alias?: string;
  readonly fields: readonly GoField[];
}

const modules = process.argv[2];
if (!modules) throw new Error('Say where the Go modules are: node generate/zero-values.ts <directory>');

const directories: readonly (readonly [prefix: string, path: string])[] = [
  ['io.k8s.api.', 'api'],
  ['io.k8s.apimachinery.', 'apimachinery'],
  ['io.k8s.apiextensions-apiserver.', 'apiextensions-apiserver'],
  ['io.k8s.kube-aggregator.', 'kube-aggregator'],
];

/** `io.k8s.api.core.v1.Pod` → the folder of its package. */
function folderOf(definition: string): string | undefined {
  const found = directories.find(([prefix]) => definition.startsWith(prefix));
  if (!found) return undefined;
  const [prefix, module] = found;
  const rest = definition.slice(prefix.length).split('.').slice(0, -1).join('/');
  const folder = join(modules ?? '', module, rest);
  return existsSync(folder) ? folder : undefined;
}

const packages = new Map<string, Map<string, GoType>>();

function typesOf(folder: string): Map<string, GoType> {
  const known = packages.get(folder);
  if (known) return known;
  const types = new Map<string, GoType>();
  packages.set(folder, types);
  const files = readdirSync(folder).filter((name) => name.endsWith('.go') && !name.endsWith('_test.go'));
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    for (const [, name = '', alias = ''] of text.matchAll(/^type (\w+) ([\w.[\]*]+)$/gm))
      types.set(name, { alias, fields: [] });
    for (const [, name = '', body = ''] of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
      types.set(name, { fields: fieldsOf(body) });
    }
  }
  return types;
}

const fieldsOf = (body: string): GoField[] =>
  [...body.matchAll(/^\t(?:\w+[ \t]+)?([\w.[\]*]+)[ \t]+`[^`]*json:"([^"]*)"/gm)].map(([, type = '', tag = '']) => {
    const [json = '', ...options] = tag.split(',');
    return {
      json,
      type,
      omitEmpty: options.includes('omitempty'),
      omitZero: options.includes('omitzero'),
      inline: options.includes('inline') || json === '',
    };
  });

const scalars: Readonly<Record<string, Zero>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  int: 0,
  uint32: 0,
  float64: 0,
};
const special: Readonly<Record<string, Zero>> = {
  Time: null,
  MicroTime: null,
  Quantity: '0',
  IntOrString: 0,
  RawExtension: null,
  JSON: null,
};

/** The zero value of a Go type in JSON. */
function zeroOf(type: string, folder: string): Zero {
  if (/^(\*|\[\]|map\[)/.test(type)) return null;
  if (type in scalars) return scalars[type] ?? null;
  const name = type.slice(type.lastIndexOf('.') + 1);
  if (name in special) return special[name] ?? null;
  if (name === 'UID' || type.startsWith('types.')) return '';
  const local = typesOf(folder).get(name);
  if (!type.includes('.') && local?.alias !== undefined) return zeroOf(local.alias, folder);
  return {};
}

/** A struct that writes itself in a form of its own; behind a pointer it is left out like anything else. */
const isSpecial = (type: string): boolean => /^[\w.]+$/.test(type) && (type.split('.').pop() ?? '') in special;

const isEmptyStruct = (zero: Zero): boolean => typeof zero === 'object' && zero !== null;

function rulesOf(name: string, folder: string): { omit: string[]; write: Record<string, Zero> } {
  const omit: string[] = [];
  const write: Record<string, Zero> = {};
  for (const field of typesOf(folder).get(name)?.fields ?? []) {
    if (field.json === '-' || field.type.endsWith('TypeMeta')) continue;
    if (field.inline) {
      const nested = rulesOf(field.type, folder);
      omit.push(...nested.omit);
      Object.assign(write, nested.write);
      continue;
    }
    const zero = zeroOf(field.type, folder);
    const isList = /^(\[\]|map\[)/.test(field.type);
    const writtenWhenEmpty = !field.omitZero && (!field.omitEmpty || isEmptyStruct(zero) || isSpecial(field.type));
    if (writtenWhenEmpty) write[field.json] = zero;
    else if (zero !== null || isList) omit.push(field.json);
  }
  return { omit, write };
}

const shapes = JSON.parse(readFileSync(new URL('../src/schema/built-in-kinds.json', import.meta.url), 'utf8')) as {
  definitions: Record<string, { properties?: object }>;
};
const lines: string[] = [];
for (const definition of Object.keys(shapes.definitions).sort()) {
  const folder = folderOf(definition);
  if (!folder || !shapes.definitions[definition]?.properties) continue;
  const { omit, write } = rulesOf(definition.slice(definition.lastIndexOf('.') + 1), folder);
  const entry = { ...(omit.length > 0 && { omit }), ...(Object.keys(write).length > 0 && { write }) };
  if (Object.keys(entry).length > 0) lines.push(`${JSON.stringify(definition)}: ${JSON.stringify(entry)}`);
}
writeFileSync(new URL('../src/schema/built-in/zero-values.json', import.meta.url), `{\n${lines.join(',\n')}\n}\n`);
process.stdout.write(`${lines.length} definitions\n`);
