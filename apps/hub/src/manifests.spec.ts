import { staleManifestFiles } from '@flotilla/install/deploy';
import { manifestErrors } from '@flotilla/kube/testing/internal';
import { expect, it } from 'vitest';
import { debugDirectory, debugFiles, directory, files, filesOfGrpc, grpcDirectory } from './manifests.ts';

it('has the manifests that `npm run generate` writes', () => {
  expect(staleManifestFiles(directory, files)).toEqual([]);
  expect(staleManifestFiles(debugDirectory, debugFiles)).toEqual([]);
  expect(staleManifestFiles(grpcDirectory, filesOfGrpc)).toEqual([]);
});

it('has manifests that grant nothing by wildcard, and run nothing as root', () => {
  for (const each of [directory, debugDirectory, grpcDirectory]) expect(manifestErrors(each)).toEqual([]);
});
