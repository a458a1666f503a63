import { describe, expect, it } from 'vitest';
import { specHash } from './template.ts';

const deployment = (extra: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', ...extra },
  spec: { template: { metadata: { labels: { app: 'web' }, ...extra } } },
});
const identifier = { group: 'apps', resource: 'deployments', name: 'web' };

describe('two specs of works', () => {
  it.each<[string, object, object]>([
    [
      'with empty creation timestamps, which programs add',
      { workload: { manifests: [deployment()] } },
      { workload: { manifests: [deployment({ creationTimestamp: null })] } },
    ],
    [
      'with empty settings, which OCM writes',
      { manifestConfigs: [{ resourceIdentifier: identifier }] },
      {
        manifestConfigs: [{ resourceIdentifier: { ...identifier, namespace: '' }, feedbackRules: [] }],
        executor: null,
      },
    ],
    ['with their fields in another order', { a: 1, b: 2 }, { b: 2, a: 1 }],
  ])('%s are the same', (_, left, right) => {
    expect(specHash(left)).toBe(specHash(right));
  });

  it.each<[string, object, object]>([
    [
      'with manifests in another order',
      { workload: { manifests: [deployment(), { kind: 'Job' }] } },
      { workload: { manifests: [{ kind: 'Job' }, deployment()] } },
    ],
    [
      'with an empty value in a manifest',
      { workload: { manifests: [{ kind: 'ConfigMap', data: {} }] } },
      { workload: { manifests: [{ kind: 'ConfigMap', data: { a: '' } }] } },
    ],
    ['with a time to live of 0', { deleteOption: { ttlSecondsAfterFinished: 0 } }, { deleteOption: {} }],
  ])('%s differ', (_, left, right) => {
    expect(specHash(left)).not.toBe(specHash(right));
  });
});
