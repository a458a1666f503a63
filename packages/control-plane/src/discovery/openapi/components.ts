import { builtInDefinitions, builtInResources } from '../../schema/built-in.ts';
import type { ResourceInfo } from '../../schema/resource-info.ts';
import { builtInComponentName, componentName, listComponentName, shared } from './component-names.ts';
import { builtInSchema, customSchema, listSchema, type OpenApiSchema } from './to-openapi.ts';

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** All schemas that the operations on these resources refer to, by name. */
export function components(resources: readonly ResourceInfo[]): Record<string, OpenApiSchema> {
  const schemas = new Map<string, OpenApiSchema>();
  const kinds = kindsByComponent();
  const add = (name: string, schema: OpenApiSchema, gvks: readonly GroupVersionKind[] = []): void => {
    schemas.set(name, gvks.length === 0 ? schema : { ...schema, 'x-kubernetes-group-version-kind': gvks.map(inOrder) });
    for (const referred of references(schema)) addBuiltIn(referred);
  };
  const addBuiltIn = (name: string): void => {
    const definition = builtInDefinitions[name];
    if (definition && !schemas.has(name)) add(name, builtInSchema(definition), kinds.get(name));
  };

  for (const info of resources) {
    const { group, version, kind, listKind } = info;
    const name = componentName(info);
    if (info.source === 'custom') add(name, customSchema(info.schema), [{ group, version, kind }]);
    else addBuiltIn(name);
    if (info.verbs.includes('list'))
      add(listComponentName(info), listSchema(name), [{ group, version, kind: listKind }]);
    for (const body of info.subresources) {
      const own = builtInComponentName(body.group, body.version, body.kind);
      if (own !== undefined) addBuiltIn(own);
    }
  }
  for (const name of [shared.status, shared.patch, shared.resourceList]) addBuiltIn(name);
  const [first] = resources;
  const options = builtInDefinitions[shared.deleteOptions];
  if (first && options) add(shared.deleteOptions, builtInSchema(options), deleteOptionsKinds(first));
  return Object.fromEntries([...schemas].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Which built-in components are kinds of their own; a kind may appear inside another group's kinds. */
function kindsByComponent(): Map<string, readonly GroupVersionKind[]> {
  const kinds = new Map<string, readonly GroupVersionKind[]>();
  for (const info of builtInResources()) {
    kinds.set(componentName(info), [info]);
    for (const body of info.subresources) {
      const name = builtInComponentName(body.group, body.version, body.kind);
      if (name !== undefined) kinds.set(name, [body]);
    }
  }
  kinds.set(shared.status, [{ group: '', version: 'v1', kind: 'Status' }]);
  kinds.set(shared.resourceList, [{ group: '', version: 'v1', kind: 'APIResourceList' }]);
  return kinds;
}

/** Delete options are read in the group version of the object they are for. */
const deleteOptionsKinds = ({ group, version }: ResourceInfo): GroupVersionKind[] => {
  const kind = 'DeleteOptions';
  const core = { group: '', version: 'v1', kind };
  return group === '' && version === 'v1' ? [core] : [core, { group, version, kind }];
};

const inOrder = ({ group, version, kind }: GroupVersionKind): GroupVersionKind => ({ group, kind, version });

function* references(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (key === '$ref' && typeof child === 'string') yield child.slice('#/components/schemas/'.length);
    else yield* references(child);
  }
}
