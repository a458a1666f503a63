import { staleManifestFiles } from '@flotilla/install/deploy';
import { manifestErrors } from '@flotilla/kube/testing/internal';
import { expect, it } from 'vitest';
import { clusterProxyDirectory, directory, files, filesOfClusterProxy } from './manifests.ts';

it('has the manifests that `npm run generate` writes', () => {
  expect(staleManifestFiles(directory, files)).toEqual([]);
  expect(staleManifestFiles(clusterProxyDirectory, filesOfClusterProxy)).toEqual([]);
});

it('has manifests that grant nothing by wildcard, and run nothing as root', () => {
  for (const each of [directory, clusterProxyDirectory]) expect(manifestErrors(each)).toEqual([]);
});
