import type { Klusterlet } from '@flotilla/api-types';
import { startControlPlane } from '@flotilla/control-plane';
import { applyObjects } from '@flotilla/install';
import { staleManifestFiles } from '@flotilla/install/deploy';
import { realClock } from '@flotilla/kube';
import { manifestErrors } from '@flotilla/kube/testing/internal';
import { expect, it } from 'vitest';
import { charts, manifests, staleChartFiles } from './charts.ts';

it('has the charts that `npm run generate` writes', async () => {
  for (const chart of await charts()) expect(staleChartFiles(chart), chart.directory.pathname).toEqual([]);
});

it('has the manifests that `npm run generate` writes, which grant nothing by wildcard and run nothing as root', async () => {
  for (const { directory, files } of await manifests()) {
    expect(staleManifestFiles(directory, files)).toEqual([]);
    expect(manifestErrors(directory)).toEqual([]);
  }
});

it('has a Klusterlet that the API server refuses until its cluster is named', async () => {
  const [, directory] = await manifests();
  const read = (name: string) => directory?.files.find((file) => file.name === name)?.objects ?? [];
  const [klusterlet, ...others] = read('klusterlet.yaml') as Klusterlet[];
  expect(others).toEqual([]);
  const plane = await startControlPlane({ listen: false });
  try {
    const apply = (spec: object) =>
      applyObjects(plane.client, [...read('crd.yaml'), { ...klusterlet, ...{ spec } }], {
        owner: { fieldManager: 'kubectl', labels: {} },
        clock: realClock,
      });
    await expect(apply({ ...klusterlet?.spec })).rejects.toMatchObject({
      code: 'Invalid',
      message: expect.stringContaining('spec.clusterName'),
    });
    await apply({ ...klusterlet?.spec, clusterName: 'cluster1' });
  } finally {
    await plane.stop();
  }
});
