import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Attributes } from '../contracts/authorizer.ts';
import type { PolicyRule } from '../contracts/rbac-objects.ts';
import { ruleAllows } from './policy-rule.ts';
import { describeMissing, missingRules } from './rule-cover.ts';

const pods = (verbs: string[], more: Partial<PolicyRule> = {}): PolicyRule => ({
  verbs,
  apiGroups: [''],
  resources: ['pods'],
  ...more,
});

describe('rules cover others', () => {
  const cases: Record<string, { held: PolicyRule[]; wanted: PolicyRule[]; missing: string }> = {
    'if each verb is held, though by different rules': {
      held: [pods(['get']), pods(['list'])],
      wanted: [pods(['get', 'list'])],
      missing: '',
    },
    'unless a verb is not held': {
      held: [pods(['get'])],
      wanted: [pods(['get', 'list', 'watch'])],
      missing: '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
    },
    'unless a star is asked for and only words are held': {
      held: [pods(['get', 'list'])],
      wanted: [pods(['*'])],
      missing: '{APIGroups:[""], Resources:["pods"], Verbs:["*"]}',
    },
    'if a star is held': { held: [pods(['*'], { resources: ['*'] })], wanted: [pods(['get'])], missing: '' },
    'unless all objects are asked for and only some are held': {
      held: [pods(['get'], { resourceNames: ['a'] })],
      wanted: [pods(['get'])],
      missing: '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    },
    'if some objects are asked for and all are held': {
      held: [pods(['get'])],
      wanted: [pods(['get'], { resourceNames: ['a', 'b'] })],
      missing: '',
    },
    'if a subresource is held for all resources': {
      held: [pods(['get'], { resources: ['*/status'] })],
      wanted: [pods(['get'], { resources: ['pods/status'] })],
      missing: '',
    },
    'unless a path is not below a held one': {
      held: [{ verbs: ['get'], nonResourceURLs: ['/a/*'] }],
      wanted: [{ verbs: ['get', 'post'], nonResourceURLs: ['/a/b', '/c'] }],
      missing: [
        '{NonResourceURLs:["/a/b"], Verbs:["post"]}',
        '{NonResourceURLs:["/c"], Verbs:["get"]}',
        '{NonResourceURLs:["/c"], Verbs:["post"]}',
      ].join('\n'),
    },
  };
  test.each(Object.entries(cases))('%s', (_, { held, wanted, missing }) => {
    expect(describeMissing(missingRules(held, wanted))).toBe(missing);
  });
});

const someOf = (...words: string[]) => fc.subarray(words, { minLength: 1 });
const anyRule: fc.Arbitrary<PolicyRule> = fc.oneof(
  fc.record({
    verbs: someOf('get', 'list', '*'),
    apiGroups: someOf('', 'apps', '*'),
    resources: someOf('pods', 'pods/status', '*/status', '*'),
    resourceNames: fc.subarray(['a', 'b']),
  }),
  fc.record({ verbs: someOf('get', 'list', '*'), nonResourceURLs: someOf('/a', '/a/b', '/a/*', '*') }),
);
const anyQuestion: fc.Arbitrary<Attributes> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('get', 'list', 'watch'),
      fc.constantFrom('', 'apps', 'batch'),
      fc.constantFrom(undefined, 'status', 'log'),
      fc.constantFrom(undefined, 'a', 'b'),
    )
    .map(([verb, group, subresource, name]) => ({
      kind: 'resource' as const,
      verb,
      group,
      version: 'v1',
      resource: 'pods',
      ...(subresource && { subresource }),
      ...(name && { name }),
    })),
  fc
    .tuple(fc.constantFrom('get', 'list'), fc.constantFrom('/a', '/a/b', '/c'))
    .map(([verb, path]) => ({ kind: 'path' as const, verb, path })),
);

test('who holds covering rules may do whatever the covered ones allow', () => {
  fc.assert(
    fc.property(
      fc.array(anyRule, { maxLength: 4 }),
      fc.array(anyRule, { maxLength: 2 }),
      anyQuestion,
      (held, wanted, asked) => {
        const allows = (rules: readonly PolicyRule[]) => rules.some((rule) => ruleAllows(rule, asked));
        const missing = missingRules(held, wanted);
        if (allows(wanted)) expect(allows(held) || allows(missing)).toBe(true);
        if (missing.length === 0 && allows(wanted)) expect(allows(held)).toBe(true);
      },
    ),
    { numRuns: 1000 },
  );
});

test('every rule covers itself, and nothing covers what is missing', () => {
  fc.assert(
    fc.property(fc.array(anyRule, { maxLength: 3 }), fc.array(anyRule, { maxLength: 3 }), (held, wanted) => {
      expect(missingRules(wanted, wanted)).toEqual([]);
      const missing = missingRules(held, wanted);
      expect(missingRules(held, missing)).toEqual(missing);
      expect(missingRules([...held, ...missing], wanted)).toEqual([]);
    }),
  );
});
