import { expect, it } from 'vitest';
import { configMap, job } from '../fixtures/objects.ts';
import { at, hook, objects, orphan } from './marks.ts';

it('a hook keeps its annotations and gets its limits', () => {
  const marked = hook.preDelete(
    { ...job('clean'), metadata: { name: 'clean', annotations: { own: 'yes' } } },
    { retries: 3, timeoutSeconds: 60 },
  );
  expect(marked).toMatchObject({
    metadata: { annotations: { own: 'yes', 'addon.open-cluster-management.io/addon-pre-delete': '' } },
    spec: { backoffLimit: 3, activeDeadlineSeconds: 60, template: {} },
  });
});

it('a hook is a Job or a Pod', () => {
  expect(() => hook.preDelete(configMap('a'))).toThrow(
    'ConfigMap default/a cannot be a pre-delete hook; use a Job or a Pod',
  );
  expect(() => hook.preDelete({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } }, { retries: 1 })).toThrow(
    'Pod p is a Pod, which is not retried; use a Job',
  );
});

it('objects are marked without changing the original', () => {
  const original = configMap('a');
  expect(orphan(at('hosting', original)).metadata?.annotations).toEqual({
    'addon.open-cluster-management.io/hosted-manifest-location': 'hosting',
    'addon.open-cluster-management.io/deletion-orphan': '',
  });
  expect(original).toEqual(configMap('a'));
});

it('a list leaves out what a condition left out', () => {
  expect(objects(configMap('a'), false, undefined, null, configMap('b'))).toEqual([configMap('a'), configMap('b')]);
});
