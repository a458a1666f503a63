import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { clusterManagerChartFiles, klusterletChartFiles } from './index.ts';

const release = { version: '1.2.3', drivers: [] };

it.each([
  // Older API servers refuse unhealthyPodEvictionPolicy of PodDisruptionBudgets as an unknown field.
  ['cluster-manager', clusterManagerChartFiles, '1.27'],
  ['klusterlet', klusterletChartFiles, '1.25'],
] as const)(
  'the chart %s requires the Kubernetes that has the fields of its objects, as the guide says',
  async (name, filesOf, oldest) => {
    const files = await filesOf(release);
    const { kubeVersion } = parse(files.find(({ path }) => path === 'Chart.yaml')?.text ?? '');
    expect(kubeVersion).toBe(`>=${oldest}.0-0`);
    const guide = await readFile(new URL('../../../../docs/guides/operator.md', import.meta.url), 'utf8');
    expect(guide).toContain(`Kubernetes ${oldest} or later on ${name === 'klusterlet' ? 'managed clusters' : 'hubs'}`);
  },
);

/** `helm uninstall` waits so long for a hook, unless its flag `--timeout` says otherwise. */
const helmWaitsMinutes = 5;

it.each(['cluster-manager', 'klusterlet'])(
  'the hook of the chart %s fails before Helm stops waiting for it, and is not tried again behind its back',
  async (name) => {
    const file = new URL(`../../../../deploy/charts/${name}/templates/removal.yaml`, import.meta.url);
    const template = await readFile(file, 'utf8');
    const [, minutes] = /--timeout=(\d+)m\]/.exec(template) ?? [];
    expect(Number(minutes)).toBeLessThan(helmWaitsMinutes);
    const [, seconds] = /^ {2}activeDeadlineSeconds: (\d+)$/m.exec(template) ?? [];
    expect(Number(seconds)).toBeLessThan(helmWaitsMinutes * 60);
    expect(template).toMatch(/^ {2}backoffLimit: 0$/m);
  },
);
