import { type LabelSelector, matchesLabels } from '@flotilla/kube';
import { forbidden, notFound } from '../../errors/api-errors.ts';
import type { Registry, ResourceInfo } from '../../schema/resource-info.ts';
import type { Storage } from '../../storage/storage.ts';
import { type AdmissionRequest, namespaceOf } from '../admission.ts';
import type { Webhook, WebhookRule } from './configuration.ts';
import type { MatchConditions } from './match-conditions.ts';

export interface MatchOptions {
  readonly storage: Pick<Storage, 'get'>;
  readonly registry: Pick<Registry, 'all'>;
  readonly conditions: MatchConditions;
}

/** The version of the resource that the webhook wants to be told of, if it wants to be told at all. */
export function invocationOf(
  options: MatchOptions,
  webhook: Webhook,
  request: AdmissionRequest,
): ResourceInfo | undefined {
  if (!matchesObject(webhook.objectSelector, request)) return undefined;
  const info = wantedVersion(options.registry, webhook, request);
  if (!info || !matchesNamespace(options, webhook.namespaceSelector, request)) return undefined;
  return meetsConditions(options.conditions, webhook, info, request) ? info : undefined;
}

/** The request's own version first, then others under which the same objects are served. */
function wantedVersion(
  registry: Pick<Registry, 'all'>,
  { rules = [], matchPolicy = 'Equivalent' }: Webhook,
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

function matchesRule(rule: WebhookRule, info: ResourceInfo, request: AdmissionRequest): boolean {
  return (
    includes(rule.operations, request.operation) &&
    includes(rule.apiGroups, info.group) &&
    includes(rule.apiVersions, info.version) &&
    matchesScope(rule.scope, request) &&
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

function matchesScope(scope: string | undefined, { info }: AdmissionRequest): boolean {
  if (scope === undefined || scope === '*') return true;
  return scope === (info.namespaced ? 'Namespaced' : 'Cluster');
}

const isEmpty = (selector: LabelSelector | undefined): boolean =>
  Object.keys(selector?.matchLabels ?? {}).length === 0 && (selector?.matchExpressions ?? []).length === 0;

/** Before or after the change: an object cannot leave a webhook's sight by its own change. */
function matchesObject(selector: LabelSelector | undefined, { object, oldObject }: AdmissionRequest): boolean {
  if (isEmpty(selector)) return true;
  return [object, oldObject].some((one) => one !== undefined && matchesLabels(selector, one.metadata?.labels ?? {}));
}

/** Objects of cluster scope are in no namespace and so never excluded, but namespaces themselves are. */
function matchesNamespace(
  { storage }: MatchOptions,
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

function meetsConditions(
  conditions: MatchConditions,
  { matchConditions = [], failurePolicy = 'Fail' }: Webhook,
  info: ResourceInfo,
  request: AdmissionRequest,
): boolean {
  if (matchConditions.length === 0) return true;
  const { matches, problems } = conditions.evaluate(matchConditions, info, request);
  if (problems.length === 0) return matches;
  if (failurePolicy === 'Ignore' || !matches) return false;
  throw forbidden(info, request.name, problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`);
}
