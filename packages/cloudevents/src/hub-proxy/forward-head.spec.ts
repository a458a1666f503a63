import { expect, it } from 'vitest';
import { isLongRunning } from './forward-head.ts';

it.each([
  ['/api/v1/pods?watch=true', true],
  ['/api/v1/pods?limit=1&watch=1', true],
  ['/api/v1/watch/pods', true],
  ['/apis/apps/v1/watch/deployments', true],
  ['/api/v1/namespaces/a/pods/b/log?follow=true', true],
  ['/api/v1/pods?watch=false', false],
  ['/api/v1/pods', false],
  ['/api/v1/namespaces/a/configmaps/watch', false],
  ['/api/v1/pods?labelSelector=watch%3Dtrue', false],
])('knows whether %s goes on until one side ends it: %s', (path, expected) => {
  expect(isLongRunning(path)).toBe(expected);
});
