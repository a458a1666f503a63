import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { capabilities, contracts, type Stage, storms, suiteGroups } from './suites.ts';

const filesOf = (patterns: readonly string[], exclude: readonly string[] = []) =>
  globSync([...patterns], { cwd: import.meta.dirname, exclude: [...exclude, 'node_modules/**'] });
const suitesOf = (stage: Stage) => suiteGroups(stage).flatMap(({ include, exclude }) => filesOf(include, exclude));

describe('the stages of the suites', () => {
  it.each([...capabilities, ...contracts, ...storms])('%s names a suite for each of its alternatives', (pattern) => {
    const alternatives = /\{(.*)\}/.exec(pattern)?.[1]?.split(',') ?? [''];
    expect(filesOf([pattern])).toHaveLength(alternatives.length);
  });

  it('run every suite for every change, except storms', () => {
    const run = new Set([...suitesOf('capabilities'), ...suitesOf('rest')]);
    expect(filesOf(['**/*.kube.ts']).filter((file) => !run.has(file))).toEqual(filesOf(storms));
  });

  it('run every suite in the night', () => {
    const run = new Set(suitesOf('nightly'));
    expect(filesOf(['**/*.kube.ts']).filter((file) => !run.has(file))).toEqual([]);
  });

  it('run none twice on the same control plane for a change', () => {
    const [embedded] = suiteGroups('rest');
    const again = filesOf(embedded?.include ?? [], embedded?.exclude);
    expect(suitesOf('capabilities').filter((file) => again.includes(file))).toEqual([]);
  });
});
