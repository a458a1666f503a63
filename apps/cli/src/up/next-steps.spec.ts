import { expect, it } from 'vitest';
import { type FleetFiles, nextSteps } from './next-steps.ts';

const server = (name: string) => ({ name, kubeconfigPath: `/d/${name}.yaml` });
const steps = (fleet: Partial<FleetFiles> = {}) =>
  nextSteps('flotilla', {
    hub: server('hub'),
    managed: ['cluster1', 'cluster2', 'cluster3'].map(server),
    accepted: ['cluster1', 'cluster2'],
    tryFile: '/d/try.yaml',
    detached: false,
    ...fleet,
  });
const commands = (text: string) => text.split('\n').filter((line) => line.startsWith('  flotilla '));

it('gives three commands to paste, of which one accepts the cluster that waits', () => {
  const found = commands(steps({ waiting: 'cluster3' }));
  expect(found).toHaveLength(3);
  expect(found[0]).toContain('accept --clusters cluster3');
  expect(found.at(-1)).toContain('--cluster-name cluster2 --kubeconfig /d/cluster2.yaml');
});

it('offers nothing that cannot be done: to accept what is accepted, to unjoin what is not joined', () => {
  expect(commands(steps())).toHaveLength(2);
  expect(steps({ accepted: ['cluster1'] })).not.toContain('cluster2 from the hub');
  expect(steps({ accepted: [] })).not.toContain('Try next');
});

it('shows how clusters join a hub that has none', () => {
  const text = steps({ managed: [], accepted: [] });
  expect(text).toContain('To join a cluster, run there what `flotilla get token --kubeconfig /d/hub.yaml` prints.');
  expect(text).not.toContain('explain work');
});

it.each([
  { fleet: {}, end: 'Ctrl-C stops the fleet.' },
  { fleet: { dataDir: '/d' }, end: 'Ctrl-C, or `flotilla down --data-dir /d`, stops the fleet.' },
  {
    fleet: { dataDir: '/d', detached: true },
    end: 'It runs in the background: `flotilla down --data-dir /d` stops it.',
  },
])('says how to stop a fleet: $end', ({ fleet, end }) => {
  expect(steps(fleet).split('\n').at(-1)).toBe(end);
  expect(steps(fleet).includes('in another terminal')).toBe(!('detached' in fleet));
});
