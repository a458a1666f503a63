import type { ManifestConditionRule, ManifestFeedbackRule } from '@flotilla/api-types';
import { ruleRunner } from '@flotilla/rules/runner';
import { acceptableMs, longestTurn } from '@flotilla/rules/testing';
import { describe, expect, it, vi } from 'vitest';
import { createIgnoreFields } from './ignore-fields/ignore-fields.ts';
import type { Manifest } from './manifest.ts';
import { createWorkRules } from './rules.ts';

const rules = createWorkRules({ rawJson: true, maxJsonRawLength: 1024 });
const object = (index: number): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name: `cm${index}` },
  x: Array.from({ length: 100_000 }, () => 1),
});
const list = `[${Array.from({ length: 99 }, (_, index) => index).join(',')}]`;
const repeated = `[${Array.from({ length: 300 }, () => "'x'").join(',')}][*]`;
const feedback = (...paths: string[]): ManifestFeedbackRule[] => [
  { type: 'JSONPaths', jsonPaths: paths.map((path, index) => ({ name: `path-${index}`, path })) },
];
const conditionRules: ManifestConditionRule[] = Array.from({ length: 12 }, (_, index) => ({
  type: 'CEL',
  condition: `Rule${index}`,
  celExpressions: [`${list}.all(a, ${list}.all(b, ${list}.all(c, a + b + c >= 0)))`],
}));

describe('rules that could not be compiled', () => {
  it('are compiled again for the next object', async () => {
    let attempts = 0;
    const flaky = createWorkRules({ rawJson: true, maxJsonRawLength: 1024 }, async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('a module cannot be read');
      return { evaluate: async () => [] };
    });
    const config = { feedbackRules: feedback('.kind') };
    await expect(flaky.observe(object(0), config)).rejects.toThrow('a module cannot be read');
    expect((await flaky.observe(object(0), config)).values).toHaveLength(1);
  });
});

it('lets the event loop turn between manifests that are compared with thousands of wildcards', () => {
  using spend = vi.spyOn(ruleRunner, 'spend');
  const resourceIdentifier = { group: '', resource: 'configmaps', namespace: '*', name: 'cm*x' };
  const meta = { ordinal: 0, group: '', resource: 'configmaps', namespace: 'default', name: 'cm0' };
  rules.configOf(Array(4000).fill({ resourceIdentifier }), meta);
  expect(spend).toHaveBeenCalledWith(22_000);
  const long = { ...resourceIdentifier, name: `${'*a'.repeat(500)}b` };
  rules.configOf(Array(100).fill({ resourceIdentifier: long }), meta);
  expect(spend.mock.lastCall?.[0]).toBeGreaterThan(10_000);
});

describe('hostile rules of a manifest', () => {
  it('of feedback end when the budget of all paths is used up, and the condition names those that were not read', async () => {
    const config = { feedbackRules: feedback('.metadata.name', repeated, '.kind') };
    const { values, errors } = await rules.observe(object(0), config);
    expect(values).toEqual([{ name: 'path-0', fieldValue: { type: 'String', string: 'cm0' } }]);
    const spent =
      'with error: the paths of this object visit more than 250000 values together: select less, or remove paths';
    expect(errors).toEqual([`failed to find value for path-1 ${spent}`, `failed to find value for path-2 ${spent}`]);
  });

  it('of conditions report that their budget is used up', async () => {
    const { conditions } = await rules.observe(object(0), { conditionRules });
    const messages = conditions.map(({ message }) => message);
    expect(messages[0]).toBe('operation cancelled: actual cost limit exceeded');
    expect(messages.at(-1)).toBe('CEL evaluation budget exceeded');
  });

  it('of ignored fields end together after a second, and the condition names the one that was not evaluated', async () => {
    const jqPathExpressions = ['.a | until(false; .)', '.b'];
    const fields = [{ condition: 'OnSpokePresent' as const, jqPathExpressions }];
    await expect(createIgnoreFields()(object(0), fields)).rejects.toThrow(
      "JQ expression error in '.a | until(false; .)': jq expression execution timed out after 1s",
    );
    const paths = [{ condition: 'OnSpokePresent' as const, jsonPaths: [`${repeated}.a`] }];
    await expect(createIgnoreFields()(object(0), paths)).rejects.toThrow('JSON path error in');
  });

  it('hold up the event loop no longer than an agent may be silent', async () => {
    const config = {
      feedbackRules: feedback(repeated, ...Array.from({ length: 100 }, () => '..*..*')),
      conditionRules: conditionRules.slice(0, 2),
    };
    const fields = [
      {
        condition: 'OnSpokePresent' as const,
        jqPathExpressions: ['.a | [range(1e9)]'],
      },
    ];
    const ignoreFields = createIgnoreFields();
    const objects = [object(0), object(1)];
    const run = async () => {
      await Promise.all(objects.map((each) => rules.observe(each, config)));
      await ignoreFields({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }, fields).catch(
        () => undefined,
      );
    };
    expect(await longestTurn(run)).toBeLessThan(acceptableMs);
  });
});
