import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { clusterManagerChartFiles, klusterletChartFiles } from './index.ts';

const release = { version: '1.2.3', drivers: [] };
const charts = { 'cluster-manager': clusterManagerChartFiles, klusterlet: klusterletChartFiles };

describe.each(Object.entries(charts))('the chart %s', (_, filesOf) => {
  it('requires the Kubernetes that has the fields of its objects, as the guide says', async () => {
    const files = await filesOf(release);
    const { kubeVersion } = parse(files.find(({ path }) => path === 'Chart.yaml')?.text ?? '');
    // unhealthyPodEvictionPolicy of PodDisruptionBudgets: older API servers refuse it as an unknown field.
    expect(kubeVersion).toBe('>=1.27.0-0');
    const guide = await readFile(new URL('../../../../docs/guides/operator.md', import.meta.url), 'utf8');
    expect(guide).toContain('Kubernetes 1.27 or later');
  });
});
