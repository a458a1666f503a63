import type { PolicyRule } from '../contracts/rbac-objects.ts';
import { goQuoteList } from '../errors/go-text.ts';
import { coversPath } from './policy-rule.ts';

/** What of `wanted` the held rules do not allow, in pieces of one verb, group, resource and name. */
export function missingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(breakDown).filter((piece) => !held.some((rule) => covers(rule, piece)));
}

function breakDown(rule: PolicyRule): PolicyRule[] {
  const pieces: PolicyRule[] = [];
  for (const group of rule.apiGroups ?? [])
    for (const resource of rule.resources ?? [])
      for (const verb of rule.verbs) {
        const piece = { apiGroups: [group], resources: [resource], verbs: [verb] };
        const names = rule.resourceNames ?? [];
        if (names.length === 0) pieces.push(piece);
        for (const name of names) pieces.push({ ...piece, resourceNames: [name] });
      }
  for (const url of rule.nonResourceURLs ?? [])
    for (const verb of rule.verbs) pieces.push({ nonResourceURLs: [url], verbs: [verb] });
  return pieces;
}

/** Whether a rule covers a piece. A piece is so small that one rule covers it whole or not at all. */
function covers(rule: PolicyRule, piece: PolicyRule): boolean {
  const names = rule.resourceNames ?? [];
  return (
    containsAll(rule.verbs, piece.verbs) &&
    containsAll(rule.apiGroups ?? [], piece.apiGroups ?? []) &&
    (piece.resources ?? []).every((resource) => coversResource(rule.resources ?? [], resource)) &&
    (names.length === 0 || ((piece.resourceNames ?? []).length > 0 && isSubset(piece.resourceNames ?? [], names))) &&
    (piece.nonResourceURLs ?? []).every((url) => (rule.nonResourceURLs ?? []).some((own) => coversPath(own, url)))
  );
}

const isSubset = (part: readonly string[], whole: readonly string[]): boolean =>
  part.every((one) => whole.includes(one));

const containsAll = (own: readonly string[], wanted: readonly string[]): boolean =>
  own.includes('*') || isSubset(wanted, own);

function coversResource(own: readonly string[], resource: string): boolean {
  if (own.includes('*') || own.includes(resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && own.includes(`*/${resource.slice(slash + 1)}`);
}

/** Missing pieces for a reader: those of one resource on one line with all their verbs, lines in order. */
export function describeMissing(pieces: readonly PolicyRule[]): string {
  const lines = new Map<string, PolicyRule>();
  for (const piece of pieces) {
    const key = JSON.stringify({ ...piece, verbs: piece.nonResourceURLs ? piece.verbs : [] });
    const same = lines.get(key);
    lines.set(key, same ? { ...same, verbs: [...same.verbs, ...piece.verbs] } : piece);
  }
  return [...lines.values()].map(describeRule).sort().join('\n');
}

function describeRule({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const fields = Object.entries({
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  }).flatMap(([name, values]) => (values && values.length > 0 ? [`${name}:${goQuoteList(values)}`] : []));
  return `{${fields.join(', ')}}`;
}
