import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Attributes } from '../contracts/authorizer.ts';
import type { PolicyRule } from '../contracts/rbac-objects.ts';
import { ruleAllows } from './policy-rule.ts';

const ask = (verb: string, resource: string, more: Partial<Attributes> = {}): Attributes => {
  const [name = '', subresource] = resource.split('/');
  return {
    kind: 'resource',
    verb,
    group: '',
    version: 'v1',
    resource: name,
    ...(subresource && { subresource }),
    ...more,
  } as Attributes;
};
const askPath = (path: string): Attributes => ({ kind: 'path', verb: 'get', path });
const rule = (verbs: string[], resources: string[], more: Partial<PolicyRule> = {}): PolicyRule => ({
  verbs,
  apiGroups: [''],
  resources,
  ...more,
});
const urls = (...nonResourceURLs: string[]): PolicyRule => ({ verbs: ['get'], nonResourceURLs });

describe('a rule', () => {
  const cases: Record<string, [PolicyRule, Attributes, boolean]> = {
    'allows its verb on its resource': [rule(['get'], ['pods']), ask('get', 'pods'), true],
    'does not allow another verb': [rule(['get'], ['pods']), ask('list', 'pods'), false],
    'does not allow another resource': [rule(['get'], ['pods']), ask('get', 'secrets'), false],
    'does not allow the same resource of another group': [
      rule(['get'], ['pods']),
      ask('get', 'pods', { group: 'metrics.k8s.io' }),
      false,
    ],
    'with a star for the verb allows every verb': [rule(['*'], ['pods']), ask('frobnicate', 'pods'), true],
    'with a star for the group allows every group': [
      rule(['get'], ['pods'], { apiGroups: ['*'] }),
      ask('get', 'pods', { group: 'any' }),
      true,
    ],
    'on a resource does not allow its subresources': [rule(['get'], ['pods']), ask('get', 'pods/log'), false],
    'on a subresource does not allow the resource': [rule(['get'], ['pods/log']), ask('get', 'pods'), false],
    'on a subresource allows that': [rule(['get'], ['pods/log']), ask('get', 'pods/log'), true],
    'with a star for the resource allows subresources too': [rule(['get'], ['*']), ask('get', 'pods/log'), true],
    'on a subresource of anything allows it of one': [
      rule(['get'], ['*/scale']),
      ask('get', 'deployments/scale'),
      true,
    ],
    'on a subresource of anything allows no other': [
      rule(['get'], ['*/scale']),
      ask('get', 'deployments/status'),
      false,
    ],
    'on a subresource of anything does not allow a resource of that name': [
      rule(['get'], ['*/scale']),
      ask('get', 'scale'),
      false,
    ],
    'that names objects allows those': [
      rule(['get'], ['pods'], { resourceNames: ['a'] }),
      ask('get', 'pods', { name: 'a' }),
      true,
    ],
    'that names objects allows no other': [
      rule(['get'], ['pods'], { resourceNames: ['a'] }),
      ask('get', 'pods', { name: 'b' }),
      false,
    ],
    'that names objects does not allow a list': [
      rule(['list'], ['pods'], { resourceNames: ['a'] }),
      ask('list', 'pods'),
      false,
    ],
    'about resources allows no path': [rule(['get'], ['*'], { apiGroups: ['*'] }), askPath('/healthz'), false],
    'about a path allows it': [urls('/healthz'), askPath('/healthz'), true],
    'about a path does not allow what is below': [urls('/healthz'), askPath('/healthz/etcd'), false],
    'about a path with a star allows what is below': [urls('/healthz/*'), askPath('/healthz/etcd'), true],
    'about a path with a star does not allow the path itself': [urls('/healthz/*'), askPath('/healthz'), false],
    'with a star in the middle of a path means the star': [urls('/a/*/b'), askPath('/a/x/b'), false],
    'about every path allows each': [urls('*'), askPath('/anything'), true],
    'about paths allows no resource': [urls('*'), ask('get', 'pods'), false],
  };
  test.each(Object.entries(cases))('%s', (_, [given, asked, allowed]) => {
    expect(ruleAllows(given, asked)).toBe(allowed);
  });
});

const verb = fc.constantFrom('get', 'list', 'create');
const group = fc.constantFrom('', 'apps');
const word = fc.constantFrom('pods', 'scale', 'status');
const resource = fc.oneof(
  word,
  fc.tuple(word, word).map(([name, sub]) => `${name}/${sub}`),
);
const someOf = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 3 });

/** The rule written out: every combination it can mean, over a small world. */
function naive(given: PolicyRule, asked: Attributes): boolean {
  if (asked.kind === 'path') return false;
  const wanted = asked.subresource ? `${asked.resource}/${asked.subresource}` : asked.resource;
  const meant = (given.resources ?? []).flatMap((one) => {
    if (one === '*') return [wanted];
    return one.startsWith('*/') ? ['pods', 'scale', 'status'].map((name) => `${name}/${one.slice(2)}`) : [one];
  });
  const combinations = given.verbs.flatMap((oneVerb) =>
    (given.apiGroups ?? []).flatMap((oneGroup) => meant.map((one) => [oneVerb, oneGroup, one])),
  );
  const names = given.resourceNames ?? [];
  return (
    combinations.some(
      ([oneVerb, oneGroup, one]) =>
        (oneVerb === '*' || oneVerb === asked.verb) && (oneGroup === '*' || oneGroup === asked.group) && one === wanted,
    ) &&
    (names.length === 0 || names.some((name) => name === (asked.name ?? '')))
  );
}

test('a rule allows just what its combinations written out allow', () => {
  fc.assert(
    fc.property(
      fc.record({
        verbs: someOf(fc.oneof(verb, fc.constant('*'))),
        apiGroups: someOf(fc.oneof(group, fc.constant('*'))),
        resources: someOf(
          fc.oneof(
            resource,
            fc.constant('*'),
            word.map((sub) => `*/${sub}`),
          ),
        ),
        resourceNames: someOf(fc.constantFrom('a', 'b')),
      }),
      verb,
      group,
      resource,
      fc.constantFrom(undefined, 'a', 'b', 'c'),
      (given, askedVerb, askedGroup, askedResource, name) => {
        const asked = ask(askedVerb, askedResource, { group: askedGroup, ...(name !== undefined && { name }) });
        expect(ruleAllows(given, asked)).toBe(naive(given, asked));
      },
    ),
    { numRuns: 1000 },
  );
});
