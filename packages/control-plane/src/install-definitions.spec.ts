import { customResourceDefinitions } from '@flotilla/kube/kinds';
import { FakeClock } from '@flotilla/kube/testing';
import type { KubeObject } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { startControlPlane } from './start.ts';

const definition = (labels: Record<string, string> = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com', labels },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { kind: 'Widget', plural: 'widgets' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});

const widgets = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: false };

/** The definition as a new control plane has it, which serves its kind. */
async function installed(crd: KubeObject, now: number) {
  await using plane = await startControlPlane({ listen: false, crds: [crd], clock: new FakeClock(now) });
  await plane.client.resource<KubeObject>(widgets).create({ metadata: { name: 'a' } });
  return plane.client.resource(customResourceDefinitions).get('widgets.example.com');
}

describe('a definition that another control plane of this process installed', () => {
  it('is created as by a request, with a uid and times of its own', async () => {
    const crd = definition();
    await installed(crd, 0);
    const now = Date.parse('2026-01-02T03:04:05Z');
    const again = await installed(crd, now);
    const requested = await installed(structuredClone(crd), now);
    const { uid, ...metadata } = requested.metadata ?? {};
    expect(again).toEqual({ ...requested, metadata: { ...metadata, uid: again.metadata?.uid } });
    expect(again.metadata?.uid).not.toBe(uid);
    expect(JSON.stringify(again)).not.toContain('1970');
  });

  it('is sent again if it changed meanwhile', async () => {
    const crd = definition();
    await installed(crd, 0);
    expect((await installed({ ...crd, metadata: definition({ a: 'b' }).metadata }, 0)).metadata?.labels).toEqual({
      a: 'b',
    });
    crd.spec.names.kind = 'widget of no sort';
    await expect(installed(crd, 0)).rejects.toThrow('Invalid value');
  });
});
