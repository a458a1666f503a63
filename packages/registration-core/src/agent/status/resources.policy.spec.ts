import type { Node } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { resourceStatus } from './resources.policy.ts';

const node = (name: string, unschedulable = false): Node => ({
  metadata: { name },
  spec: { unschedulable },
  status: { capacity: { cpu: '32', memory: '64Mi' }, allocatable: { cpu: '16', memory: '32Mi' } },
});

describe('the resources of a cluster', () => {
  it('[registration-agent 19.10-109] are the sums over nodes, beside what others published', () => {
    const current = { capacity: { sockets: '1200', cores: '64' } };
    expect(resourceStatus(current, [node('a'), node('b')], 'v1.36.0')).toEqual({
      version: { kubernetes: 'v1.36.0' },
      capacity: { sockets: '1200', cores: '64', cpu: '64', memory: '128Mi' },
      allocatable: { cpu: '32', memory: '64Mi' },
    });
  });

  it('[registration-agent 19.10-110] of cordoned nodes cannot be allocated', () => {
    const { capacity, allocatable } = resourceStatus(undefined, [node('a', true)], 'v1');
    expect([capacity, allocatable]).toEqual([{ cpu: '32', memory: '64Mi' }, {}]);
  });

  it('stay as they are written if only the words differ', () => {
    const current = { capacity: { cpu: '64000m', memory: '128Mi' }, allocatable: { cpu: 32, memory: '64Mi' } };
    const next = resourceStatus(current, [node('a'), node('b')], 'v1');
    expect(next.capacity).toBe(current.capacity);
    expect(next.allocatable).toBe(current.allocatable);
  });
});
