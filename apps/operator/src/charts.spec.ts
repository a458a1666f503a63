import { staleManifestFiles } from '@flotilla/install/deploy';
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
