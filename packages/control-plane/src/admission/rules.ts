import { type LabelSelector, matchesLabels } from '@flotilla/kube/meta';
import { type AdmissionRequest, namespaceOf } from '../contracts/admission.ts';
import type { Registry, ResourceInfo } from '../contracts/resource-info.ts';
import type { Storage } from '../contracts/storage.ts';
import { notFound } from '../errors/api-errors.ts';

/** Which requests a webhook or a policy is about. */
export interface Rule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
  /** Only policies have it. Any name if empty. */
  readonly resourceNames?: readonly string[];
}

export interface RuleSet {
  readonly rules?: readonly Rule[];
  readonly matchPolicy?: 'Exact' | 'Equivalent';
}

/** The request's own version first, then others under which the same objects are served. */
export function matchedVersion(
  registry: Pick<Registry, 'all'>,
  { rules = [], matchPolicy = 'Equivalent' }: RuleSet,
  request: AdmissionRequest,
): ResourceInfo | undefined {
  const { info } = request;
  if (rules.some((rule) => matchesRule(rule, info, request))) return info;
  if (matchPolicy === 'Exact') return undefined;
  const others = registry.all().filter((other) => other.storage === info.storage && other !== info);
  for (const rule of rules) {
    const equivalent = others.find((other) => matchesRule(rule, other, request));
    if (equivalent) return equivalent;
  }
  return undefined;
}

const includes = (wanted: readonly string[] = [], value: string): boolean =>
  wanted.includes('*') || wanted.includes(value);

function matchesRule(rule: Rule, info: ResourceInfo, request: AdmissionRequest): boolean {
  return (
    includes(rule.operations, request.operation) &&
    includes(rule.apiGroups, info.group) &&
    includes(rule.apiVersions, info.version) &&
    matchesScope(rule.scope, request) &&
    matchesName(rule.resourceNames, request.name) &&
    (rule.resources ?? []).some((resource) => matchesResource(resource, info.plural, request.subresource ?? ''))
  );
}

// `pods`, `pods/status`, `pods/*`; `*` alone means no subresource.
function matchesResource(pattern: string, plural: string, subresource: string): boolean {
  const slash = pattern.indexOf('/');
  const resource = slash < 0 ? pattern : pattern.slice(0, slash);
  const sub = slash < 0 ? '' : pattern.slice(slash + 1);
  return (resource === '*' || resource === plural) && (sub === '*' || sub === subresource);
}

const matchesName = (names: readonly string[] = [], name: string): boolean =>
  names.length === 0 || names.includes(name);

function matchesScope(scope: string | undefined, { info }: AdmissionRequest): boolean {
  if (scope === undefined || scope === '*') return true;
  return scope === (info.namespaced ? 'Namespaced' : 'Cluster');
}

const isEmpty = (selector: LabelSelector | undefined): boolean =>
  Object.keys(selector?.matchLabels ?? {}).length === 0 && (selector?.matchExpressions ?? []).length === 0;

/** Matches the old or the new object: a change of its labels must not hide an object from a webhook or policy. */
export function matchesObject(selector: LabelSelector | undefined, { object, oldObject }: AdmissionRequest): boolean {
  if (isEmpty(selector)) return true;
  return [object, oldObject].some((one) => one !== undefined && matchesLabels(selector, one.metadata?.labels ?? {}));
}

/** Objects of cluster scope are in no namespace and so never excluded, but namespaces themselves are. */
export function matchesNamespace(
  storage: Pick<Storage, 'get'>,
  selector: LabelSelector | undefined,
  request: AdmissionRequest,
): boolean {
  const name = namespaceOf(request);
  if (isEmpty(selector) || name === '') return true;
  const { info, operation, object, subresource } = request;
  const isItself = info.storage === '/namespaces' && subresource === undefined && operation !== 'DELETE';
  const namespace = isItself ? object : storage.get('/namespaces', name);
  if (!namespace) throw notFound({ group: '', plural: 'namespaces' }, name);
  return matchesLabels(selector, namespace.metadata?.labels ?? {});
}
