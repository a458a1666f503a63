import { expect, it } from 'vitest';
import { programName } from './context.ts';

it.each([
  ['/usr/local/bin/flotilla', 'flotilla'],
  ['/home/ann/flotilla/apps/cli/dist/flotilla.js', 'flotilla'],
  ['/home/me/bin/clusteradm', 'clusteradm'],
  ['/home/me/bin/karmadactl', 'karmadactl'],
  ['/tmp/another-name', 'flotilla'],
  [undefined, 'flotilla'],
])('called as %s, the program names itself %s', (script, name) => {
  expect(programName({}, script)).toBe(name);
});
