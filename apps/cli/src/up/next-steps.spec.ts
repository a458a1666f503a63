import { expect, it } from 'vitest';
import { nextSteps } from './next-steps.ts';

const server = (name: string) => ({ name, kubeconfigPath: `/d/${name}.yaml` });
const steps = (waiting?: string) => {
  const names = ['cluster1', 'cluster2', ...(waiting ? [waiting] : [])];
  const fleet = { hub: server('hub'), managed: names.map(server), tryFile: '/d/try.yaml', ...(waiting && { waiting }) };
  return nextSteps('flotilla', fleet);
};

it('gives three commands to paste, of which one lets in the cluster that waits', () => {
  const commands = (text: string) => text.split('\n').filter((line) => line.startsWith('  flotilla '));
  expect(commands(steps('cluster3'))).toHaveLength(3);
  expect(commands(steps('cluster3'))[0]).toContain('accept --clusters cluster3');
  expect(commands(steps())).toHaveLength(2);
  expect(commands(steps('cluster3')).at(-1)).toContain('--cluster-name cluster2 --kubeconfig /d/cluster2.yaml');
});
