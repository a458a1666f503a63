import { staleManifestFiles } from '@flotilla/install/deploy';
import { manifestErrors } from '@flotilla/kube/testing/internal';
import { expect, it } from 'vitest';
import { directory, files } from './manifests.ts';

it('has the manifests that `npm run generate` writes', () => {
  expect(staleManifestFiles(directory, files)).toEqual([]);
});

it('has manifests that grant nothing by wildcard, and run nothing as root', () => {
  expect(manifestErrors(directory)).toEqual([]);
});
