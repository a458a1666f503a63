import type { Attributes } from '../contracts/authorizer.ts';
import type { PolicyRule } from '../contracts/rbac-objects.ts';

/** Whether one rule allows what is asked. */
export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!rule.verbs.some((verb) => verb === '*' || verb === attributes.verb)) return false;
  if (attributes.kind === 'path') return matchesPath(rule.nonResourceURLs ?? [], attributes.path);
  const { group, resource, subresource, name = '' } = attributes;
  return (
    (rule.apiGroups ?? []).some((one) => one === '*' || one === group) &&
    matchesResource(rule.resources ?? [], resource, subresource) &&
    matchesName(rule.resourceNames ?? [], name)
  );
}

/** `*`, `pods`, `pods/status`, or a subresource of anything: `*` + `/scale`. */
function matchesResource(resources: readonly string[], resource: string, subresource: string | undefined): boolean {
  const combined = subresource ? `${resource}/${subresource}` : resource;
  return resources.some((one) => one === '*' || one === combined || (subresource ? one === `*/${subresource}` : false));
}

/** A rule that names objects does not allow what has no name yet: create, list. */
const matchesName = (names: readonly string[], name: string): boolean => names.length === 0 || names.includes(name);

const matchesPath = (urls: readonly string[], path: string): boolean => urls.some((url) => coversPath(url, path));

/** Whether a path or a pattern with a star at its end covers another. */
export const coversPath = (pattern: string, path: string): boolean =>
  pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')));
