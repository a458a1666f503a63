import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { report, stored } from '../examples/check-a-placement.ts';
import * as api from './index.ts';
import { allKinds } from './kinds/index.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

describe('README', () => {
  it('shows the example that is executed here', () => {
    const example = readFileSync(new URL('../examples/check-a-placement.ts', import.meta.url), 'utf8');
    expect(readme).toContain(`\`\`\`ts\n${example}\`\`\``);
    expect(report).toBe('spec.prioritizerPolicy.configurations[0].weight: 11 must be at most 10');
    expect(stored.spec.sortBy).toBe('ClusterName');
  });

  it('lists every kind', () => {
    const rows = allKinds.map(({ resource, storage }) => {
      const [constant] = Object.entries(api).find(([, value]) => value === resource) ?? [];
      const suffix = constant?.endsWith('V1alpha1') ? 'V1alpha1' : '';
      const scope = resource.namespaced ? 'Namespaced' : 'Cluster';
      return `| \`${resource.kind}${suffix}\` | \`${constant}\` | ${resource.group}/${resource.version} | ${scope} | ${storage ? 'yes' : 'no'} |`;
    });
    const table = /\| type \| resource type .*\n.*\n((?:\|.*\n)+)/.exec(readme)?.[1] ?? '';
    expect(table.trim().split('\n')).toEqual(rows);
  });
});
