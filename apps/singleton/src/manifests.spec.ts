import { manifestProblems } from '@flotilla/kube/testing';
import { expect, it } from 'vitest';

it('has manifests that grant nothing by wildcard, and run nothing as root', () => {
  expect(manifestProblems(new URL('../deploy/', import.meta.url))).toEqual([]);
});
