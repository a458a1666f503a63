import type { ResourceInfo } from '../../contracts/resource-info.ts';
import { builtInDefinitions, builtInResources } from '../../schema/built-in.ts';
import { builtInComponentName, componentName, listComponentName, shared } from './component-names.ts';
import { customListSentences, customSentences, type Descriptions, described } from './descriptions.ts';
import { builtInSchema, customSchema, listSchema, type OpenApiSchema } from './to-openapi.ts';

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** All schemas that the operations on these resources refer to, and those that these refer to, by name. */
export function components(
  resources: readonly ResourceInfo[],
  operations: object,
  descriptions: Descriptions,
): Record<string, OpenApiSchema> {
  const own = ownSchemas(resources);
  const kinds = builtInKinds(resources);
  const schemas = new Map<string, OpenApiSchema>();
  const add = (name: string): void => {
    if (schemas.has(name)) return;
    const definition = builtInDefinitions[name];
    const schema = own.get(name) ?? (definition && ofKinds(builtInSchema(definition), kinds.get(name)));
    if (!schema) return;
    schemas.set(name, described(schema, descriptions[name]));
    for (const referred of references(schema)) add(referred);
  };
  for (const name of references(operations)) add(name);
  return Object.fromEntries([...schemas].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** The schemas that no built-in definition holds: custom kinds, and lists of any kind. */
function ownSchemas(resources: readonly ResourceInfo[]): Map<string, OpenApiSchema> {
  const schemas = new Map<string, OpenApiSchema>();
  for (const info of resources) {
    const { group, version, kind, listKind } = info;
    const name = componentName(info);
    const list = ofKinds(listSchema(name, info.source), [{ group, version, kind: listKind }]);
    if (info.source === 'built-in') {
      schemas.set(listComponentName(info), list);
      continue;
    }
    schemas.set(listComponentName(info), described(list, customListSentences(kind, info.plural)));
    schemas.set(name, described(ofKinds(customSchema(info.schema), [{ group, version, kind }]), customSentences));
  }
  return schemas;
}

const ofKinds = (schema: OpenApiSchema, kinds: readonly GroupVersionKind[] = []): OpenApiSchema =>
  kinds.length === 0
    ? schema
    : {
        ...schema,
        'x-kubernetes-group-version-kind': kinds.map(({ group, version, kind }) => ({ group, kind, version })),
      };

/** Which built-in components are kinds of their own; a kind may stand inside the kinds of another group. */
function builtInKinds(resources: readonly ResourceInfo[]): Map<string, readonly GroupVersionKind[]> {
  const kinds = new Map<string, readonly GroupVersionKind[]>();
  for (const info of builtInResources()) {
    kinds.set(componentName(info), [info]);
    for (const body of info.subresources) {
      const name = builtInComponentName(body.group, body.version, body.kind);
      if (name !== undefined) kinds.set(name, [body]);
    }
  }
  const core = { group: '', version: 'v1' };
  kinds.set(shared.status, [{ ...core, kind: 'Status' }]);
  kinds.set(shared.resourceList, [{ ...core, kind: 'APIResourceList' }]);
  // Delete options are read in the group version of the object they are for.
  const kind = 'DeleteOptions';
  const versions = new Map(
    [core, ...resources].map(({ group, version }) => [`${group}/${version}`, { group, version }]),
  );
  kinds.set(
    shared.deleteOptions,
    [...versions.values()].map((groupVersion) => ({ ...groupVersion, kind })),
  );
  return kinds;
}

function* references(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (key === '$ref' && typeof child === 'string') yield child.slice('#/components/schemas/'.length);
    else yield* references(child);
  }
}
