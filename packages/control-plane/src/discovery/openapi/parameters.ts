/** A parameter as OpenAPI writes it. Kubernetes says of each that it is given at most once. */
export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly required?: true;
  readonly schema: { readonly type: string; readonly uniqueItems: true };
}

const query = (type: string, ...names: readonly string[]): Parameter[] =>
  names.map((name) => ({ name, in: 'query', schema: { type, uniqueItems: true } }));

const inPath = (name: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', uniqueItems: true },
});

const byName = (left: Parameter, right: Parameter): number => (left.name < right.name ? -1 : 1);

const write = query('string', 'dryRun', 'fieldManager', 'fieldValidation');

const remove = [
  ...query('string', 'dryRun', 'propagationPolicy'),
  ...query('integer', 'gracePeriodSeconds'),
  ...query('boolean', 'orphanDependents'),
];

const list = [
  ...query('boolean', 'allowWatchBookmarks', 'sendInitialEvents', 'watch'),
  ...query('string', 'continue', 'fieldSelector', 'labelSelector', 'resourceVersion', 'resourceVersionMatch'),
  ...query('integer', 'limit', 'timeoutSeconds'),
];

/** What each action takes. kubectl reads from these whether the server supports field validation and server-side apply. */
export const parametersOf: Readonly<Record<string, readonly Parameter[]>> = {
  list: list.toSorted(byName),
  post: write,
  put: write,
  patch: [...write, ...query('boolean', 'force')],
  delete: remove.toSorted(byName),
  deletecollection: [...remove, ...list.filter(({ name }) => name !== 'allowWatchBookmarks' && name !== 'watch')].sort(
    byName,
  ),
};

/** What the path itself takes, and what every operation on it does. */
export const pathParameters = (path: string): readonly Parameter[] => [
  ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => inPath(name)).sort(byName),
  ...query('string', 'pretty'),
];
