import type { ManifestConditionRule } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import type { ConditionRules } from './condition-rules/condition-rules.ts';
import type { Manifest } from './manifest.ts';
import { createWorkRules } from './rules.ts';

const object: Manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'cm' } };
const configOf = (condition: string, letters = 1) => ({
  conditionRules: [{ type: 'CEL' as const, condition, celExpressions: ['x'.repeat(letters)] }],
});

/** Rules of which the test says when they are compiled. */
function compiledByHand() {
  const compiled: { condition: string | undefined; end: PromiseWithResolvers<ConditionRules> }[] = [];
  const compile = ([rule]: readonly ManifestConditionRule[]): Promise<ConditionRules> => {
    const end = Promise.withResolvers<ConditionRules>();
    compiled.push({ condition: rule?.condition, end });
    return end.promise;
  };
  const rules = createWorkRules({ rawJson: true, maxJsonRawLength: 1024 }, compile);
  /** Observes an object, and ends what is compiled for that. */
  const observe = async (config: ReturnType<typeof configOf>, failure?: Error): Promise<unknown> => {
    const before = compiled.length;
    const observed = rules.observe(object, config).catch((error: unknown) => error);
    for (const { end } of compiled.slice(before)) {
      if (failure) end.reject(failure);
      else end.resolve({ evaluate: async () => [] });
    }
    return observed;
  };
  return { compiled, rules, observe };
}

describe('compiled rules', () => {
  const failure = new Error('the module cannot be read');

  it('stay remembered while others cannot be compiled', async () => {
    const { compiled, observe } = compiledByHand();
    await observe(configOf('Small'));
    expect(await observe(configOf('Large', 600_000), failure)).toBe(failure);
    expect(await observe(configOf('Large', 600_000), failure)).toBe(failure);
    await observe(configOf('Small'));
    expect(compiled.map(({ condition }) => condition)).toEqual(['Small', 'Large', 'Large']);
  });

  it('stay remembered when what was forgotten for them cannot be compiled', async () => {
    const { compiled, rules, observe } = compiledByHand();
    const first = rules.observe(object, configOf('Again')).catch((error: unknown) => error);
    await observe(configOf('Large', 1_000_000));
    await observe(configOf('Again'));
    compiled[0]?.end.reject(failure);
    expect(await first).toBe(failure);
    await observe(configOf('Again'));
    expect(compiled.map(({ condition }) => condition)).toEqual(['Again', 'Large', 'Again']);
  });
});
