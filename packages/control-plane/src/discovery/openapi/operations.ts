import type { ResourceInfo, SubresourceInfo } from '../../contracts/resource-info.ts';
import { builtInComponentName, componentName, componentRef, listComponentName, shared } from './component-names.ts';
import { parametersOf, pathParameters } from './parameters.ts';

/** How a verb appears in the document. */
interface Action {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** `x-kubernetes-action`. */
  readonly action: string;
  /** The operation's id: this, the group and version, `infix`, the kind, `suffix`. */
  readonly word: string;
  readonly infix?: string;
  readonly suffix?: string;
}

type Actions = Readonly<Record<string, Action>>;

const collectionActions: Actions = {
  list: { method: 'get', action: 'list', word: 'list' },
  create: { method: 'post', action: 'post', word: 'create' },
  deletecollection: { method: 'delete', action: 'deletecollection', word: 'delete', infix: 'Collection' },
};

const objectActions: Actions = {
  get: { method: 'get', action: 'get', word: 'read' },
  update: { method: 'put', action: 'put', word: 'replace' },
  delete: { method: 'delete', action: 'delete', word: 'delete' },
  patch: { method: 'patch', action: 'patch', word: 'patch' },
};

const subresourceActions: Actions = { ...objectActions, create: { method: 'post', action: 'post', word: 'create' } };

const everywhereActions: Actions = {
  list: { method: 'get', action: 'list', word: 'list', suffix: 'ForAllNamespaces' },
};

type Operations = Readonly<Record<string, object>>;

/** The path that lists the resources of a group version, any of which is `info`. */
export function listingPath(info: ResourceInfo): [path: string, item: object] {
  const get = {
    tags: [tagOf(info)],
    operationId: `get${groupWords(info).map(capital).join('')}${capital(info.version)}APIResources`,
    responses: {
      200: { description: 'OK', content: content(['application/json', 'application/yaml'], shared.resourceList) },
      401: { description: 'Unauthorized' },
    },
  };
  return [`${rootOf(info)}/`, { get }];
}

const rootOf = ({ group, version }: ResourceInfo): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`;

/** The paths of one resource and its subresources, with all operations on them. */
export function pathsOf(info: ResourceInfo): [path: string, item: object][] {
  const everywhere = `${rootOf(info)}/${info.plural}`;
  const collection = info.namespaced ? `${rootOf(info)}/namespaces/{namespace}/${info.plural}` : everywhere;
  const object = `${collection}/{name}`;
  const paths: [string, Operations][] = [
    [collection, operations(info, info.verbs, collectionActions)],
    [object, operations(info, info.verbs, objectActions)],
    ...info.subresources.map((subresource): [string, Operations] => [
      `${object}/${subresource.name}`,
      operations(info, subresource.verbs, subresourceActions, subresource),
    ]),
  ];
  if (info.namespaced) paths.push([everywhere, operations(info, info.verbs, everywhereActions)]);
  return paths
    .filter(([, listed]) => Object.keys(listed).length > 0)
    .map(([path, listed]) => [path, { ...listed, parameters: pathParameters(path) }]);
}

function operations(
  info: ResourceInfo,
  verbs: readonly string[],
  actions: Actions,
  subresource?: SubresourceInfo,
): Operations {
  const wanted = Object.entries(actions).filter(([verb]) => verbs.includes(verb));
  return Object.fromEntries(wanted.map(([, action]) => [action.method, operation(info, action, subresource)]));
}

function operation(info: ResourceInfo, action: Action, subresource?: SubresourceInfo): object {
  // A custom resource's scale goes by the resource's own kind, as on the real server.
  const { group, version, kind } = subresource && info.source === 'built-in' ? subresource : info;
  const parameters = parametersOf[action.action];
  const component = componentOf(info, subresource);
  return {
    tags: [tagOf(info)],
    operationId: operationId(info, action, subresource),
    ...(parameters && { parameters }),
    ...bodyOf(info, action, component),
    responses: responsesOf(info, action, component),
    'x-kubernetes-action': action.action,
    'x-kubernetes-group-version-kind': { group, version, kind },
  };
}

const componentOf = (info: ResourceInfo, subresource: SubresourceInfo | undefined): string =>
  (subresource && builtInComponentName(subresource.group, subresource.version, subresource.kind)) ??
  componentName(info);

const patchTypes = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];

function bodyOf({ source }: ResourceInfo, { method }: Action, component: string): object {
  if (method === 'get') return {};
  if (method === 'delete') return { requestBody: { content: content(['*/*'], shared.deleteOptions) } };
  if (method !== 'patch') return { requestBody: { content: content(['*/*'], component), required: true } };
  const types = source === 'custom' ? patchTypes.slice(0, 3) : patchTypes;
  return { requestBody: { content: content(types, shared.patch), required: true } };
}

const meanings: Readonly<Record<string, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

const successes: Readonly<Record<string, readonly string[]>> = {
  post: ['200', '201', '202'],
  put: ['200', '201'],
  patch: ['200', '201'],
  delete: ['200', '202'],
};

function responsesOf(info: ResourceInfo, { action, method }: Action, component: string): object {
  const answer = action === 'list' ? listComponentName(info) : method === 'delete' ? shared.status : component;
  const codes = successes[action] ?? ['200'];
  return {
    ...Object.fromEntries(
      codes.map((code) => [
        code,
        { description: meanings[code], content: content(['application/json', 'application/yaml'], answer) },
      ]),
    ),
    401: { description: 'Unauthorized' },
  };
}

const content = (types: readonly string[], component: string): object =>
  Object.fromEntries(types.map((type) => [type, { schema: componentRef(component) }]));

/** Clients generated from the document are named by these, so they are the real server's: `listCoreV1NamespacedPod`. */
function operationId(
  info: ResourceInfo,
  { word, infix = '', suffix = '' }: Action,
  subresource?: SubresourceInfo,
): string {
  const scope = info.namespaced && suffix === '' ? 'Namespaced' : '';
  const group = groupWords(info).map(capital).join('');
  const below = subresource ? capital(subresource.name) : '';
  return `${word}${group}${capital(info.version)}${infix}${scope}${info.kind}${below}${suffix}`;
}

const tagOf = (info: ResourceInfo): string => {
  const [first = '', ...rest] = groupWords(info);
  return `${first}${rest.map(capital).join('')}_${info.version}`;
};

/** Built-in groups go without the domain of Kubernetes, custom ones by all their words. */
const groupWords = ({ group, source }: ResourceInfo): string[] => {
  if (group === '') return ['core'];
  return (source === 'custom' ? group : group.replace(/\.k8s\.io$/, '')).split(/[.-]/);
};

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
