import { expect, it } from 'vitest';
import { flotilla } from '../fixtures/cli.ts';
import { asCalled } from './as-called.ts';

it.each([
  ['flotilla', 'Run `flotilla get token`.', 'Run `flotilla get token`.'],
  ['clusteradm', 'Run `flotilla get token` on the hub.', 'Run `clusteradm get token` on the hub.'],
  [
    'clusteradm',
    'waits to be accepted: flotilla accept --clusters c1',
    'waits to be accepted: clusteradm accept --clusters c1',
  ],
  ['clusteradm', 'Run `flotilla token create`.', 'Run `flotilla token create`.'],
  ['clusteradm', 'Run `flotilla get csr`.', 'Run `flotilla get csr`.'],
  [
    'karmadactl',
    '`flotilla token create` or `flotilla get token`',
    '`karmadactl token create` or `flotilla get token`',
  ],
  ['npm run -s flotilla --', 'Run `flotilla explain work`.', 'Run `npm run -s flotilla -- explain work`.'],
  ['clusteradm', 'flotilla-hub controller of flotilla/hub', 'flotilla-hub controller of flotilla/hub'],
])('names commands as %s has them: %s', (program, text, expected) => {
  expect(asCalled(text, program)).toBe(expected);
});

it('names this program in the hint of an error as it was called', async () => {
  const { err } = await flotilla(['register', 'hub:6443'], { program: 'karmadactl' });
  expect(err).toContain('Use the command that `karmadactl token create --print-register-command` prints on the hub.');
});
