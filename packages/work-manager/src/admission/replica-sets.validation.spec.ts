import type { AdmissionRequest } from '@flotilla/kube/admission';
import { describe, expect, it } from 'vitest';
import { replicaSetWebhook } from './replica-sets.validation.ts';

const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
const replicaSetOf = (manifests: unknown) => ({
  metadata: { namespace: 'ns', name: 'web' },
  spec: { manifestWorkTemplate: { workload: { manifests } } },
});
const decide = (object: unknown, isEnabled = true, operation: 'CREATE' | 'DELETE' = 'CREATE') => {
  // What the webhook does not read is left out.
  const request = { operation, object } as AdmissionRequest;
  return replicaSetWebhook(isEnabled, 1000).decide(request, AbortSignal.timeout(1000));
};

describe('[work 18.M-176] a replica set', () => {
  it('with manifests is accepted', async () => {
    expect(await decide(replicaSetOf([configMap('a')]))).toEqual({ allowed: true });
  });

  it.each<[string, unknown, string]>([
    ['without manifests', replicaSetOf([]), 'Workload manifests should not be empty'],
    ['without a template', { metadata: {}, spec: {} }, 'Workload manifests should not be empty'],
    ['with a manifest twice', replicaSetOf([configMap('a'), configMap('a')]), 'duplicate manifest for resource'],
    ['that is none', null, 'Request manifestwork obj format is not right'],
  ])('%s is refused', async (_, object, message) => {
    expect(await decide(object)).toMatchObject({
      allowed: false,
      code: 400,
      message: expect.stringContaining(message),
    });
  });

  it('is refused while the gate is off, but can be deleted', async () => {
    const message = 'ManifestWorkReplicaSet feature is disabled';
    expect(await decide(replicaSetOf([configMap('a')]), false)).toEqual({ allowed: false, code: 403, message });
    expect(await decide(undefined, false, 'DELETE')).toEqual({ allowed: true });
  });
});
