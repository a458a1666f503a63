import type { Node, Pod, PodSpec } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { chooseNode } from './binding.policy.ts';

const node = (name: string, rest: Partial<Node> = {}): Node => ({
  metadata: { name, labels: { zone: name } },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
  ...rest,
});
const pod = (spec: Partial<PodSpec> = {}, uid = 'u1'): Pod => ({
  metadata: { uid },
  spec: { containers: [], ...spec },
});
const tainted = node('a', { spec: { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] } });

describe('a pod without a node', () => {
  it.each<[string, Pod, Node[], object]>([
    ['goes to the node', pod(), [node('a')], { kind: 'bind', node: 'a' }],
    [
      'goes where its selector fits',
      pod({ nodeSelector: { zone: 'b' } }),
      [node('a'), node('b')],
      { kind: 'bind', node: 'b' },
    ],
    [
      'goes to a tainted node if it tolerates that',
      pod({ tolerations: [{ key: 'gpu', operator: 'Exists' }] }),
      [tainted],
      { kind: 'bind', node: 'a' },
    ],
    [
      'goes to a node whose taint is only that it was not ready',
      pod(),
      [node('a', { spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] } })],
      { kind: 'bind', node: 'a' },
    ],
    [
      'waits while there is no node',
      pod(),
      [],
      { kind: 'unschedulable', message: '0/0 nodes are available: no nodes are registered.' },
    ],
    [
      'waits for a node that is not ready',
      pod(),
      [node('a', { status: {} })],
      { kind: 'unschedulable', message: '0/1 nodes are available: 1 node(s) were not ready.' },
    ],
    [
      'waits for a node that is cordoned',
      pod(),
      [node('a', { spec: { unschedulable: true } })],
      { kind: 'unschedulable', message: '0/1 nodes are available: 1 node(s) were unschedulable.' },
    ],
    [
      'waits before a taint',
      pod({ tolerations: [{ key: 'gpu', value: 'no' }] }),
      [tainted],
      { kind: 'unschedulable', message: '0/1 nodes are available: 1 node(s) had untolerated taint(s) {gpu: yes}.' },
    ],
  ])('%s', (_what, one, nodes, expected) => {
    expect(chooseNode(one, nodes)).toEqual(expected);
  });

  it('goes to the same node whoever decides, and pods are spread', () => {
    const nodes = [node('a'), node('b')];
    const chosen = Array.from({ length: 40 }, (_, index) => chooseNode(pod({}, `u${index}`), nodes));
    const other = Array.from({ length: 40 }, (_, index) => chooseNode(pod({}, `u${index}`), [...nodes].reverse()));
    expect(chosen).toEqual(other);
    expect(new Set(chosen.map((decision) => (decision.kind === 'bind' ? decision.node : ''))).size).toBe(2);
  });
});
