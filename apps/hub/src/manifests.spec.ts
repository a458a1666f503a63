import { staleManifestFiles } from '@flotilla/install/deploy';
import { manifestErrors } from '@flotilla/kube/testing/internal';
import { expect, it } from 'vitest';
import {
  clusterProxyDirectory,
  debugDirectory,
  debugFiles,
  directory,
  files,
  filesOfClusterProxy,
  filesOfGrpc,
  filesOfPush,
  grpcDirectory,
  pushDirectory,
} from './manifests.ts';

it('has the manifests that `npm run generate` writes', () => {
  expect(staleManifestFiles(directory, files)).toEqual([]);
  expect(staleManifestFiles(debugDirectory, debugFiles)).toEqual([]);
  expect(staleManifestFiles(grpcDirectory, filesOfGrpc)).toEqual([]);
  expect(staleManifestFiles(clusterProxyDirectory, filesOfClusterProxy)).toEqual([]);
  expect(staleManifestFiles(pushDirectory, filesOfPush)).toEqual([]);
});

it('has manifests that grant nothing by wildcard, and run nothing as root', () => {
  for (const each of [directory, debugDirectory, grpcDirectory, pushDirectory, clusterProxyDirectory])
    expect(manifestErrors(each)).toEqual([]);
});
