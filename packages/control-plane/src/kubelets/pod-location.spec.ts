import type { Node } from '@flotilla/kube/kinds';
import { expect, it } from 'vitest';
import { kubeletOf } from './pod-location.ts';

const pod = { metadata: { name: 'web' }, spec: { nodeName: 'node1', containers: [] } };
const storageWith = (containerRuntimeVersion: string) => {
  const status = {
    addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
    nodeInfo: { containerRuntimeVersion },
  };
  return { get: () => ({ status }) as Node as never };
};

it('finds the kubelet of a pod', () => {
  expect(kubeletOf(storageWith('containerd://2.1.0'), pod)).toEqual({ host: '10.0.0.1', port: 10_250 });
});

it('connects to nobody for a pod that is simulated', () => {
  expect(() => kubeletOf(storageWith('simulated://1.0.0'), pod)).toThrow(
    'pod web is simulated by node node1: it has no logs, shells and ports',
  );
});
