import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowedDifferences } from './allowed-differences.ts';
import { Pair } from './pair.ts';
import { countCalls } from './scenario.ts';
import { scenarios } from './scenarios/index.ts';

let pair: Pair;
const met = new Set<string>();

beforeAll(async () => {
  pair = await Pair.start();
});
afterAll(() => pair?.[Symbol.asyncDispose]());

describe('the embedded control plane answers as kube-apiserver does', () => {
  it.each(scenarios)('$name', async (scenario) => {
    const report = await pair.play(scenario);
    for (const id of report.met) met.add(id);
    expect(report.unexpectedDifferences.join('\n'), 'differences').toBe('');
  });

  it('in at least 250 calls', () => {
    expect(scenarios.reduce((sum, { steps }) => sum + countCalls(steps), 0)).toBeGreaterThanOrEqual(250);
  });

  it('but for the differences that the page lists, all of which were met', async () => {
    expect([...met].sort()).toEqual((await allowedDifferences()).sort());
  });
});
