import { userInfo } from 'node:os';
import { temporaryDirectory } from '@flotilla/kube/testing';
import { expect, it } from 'vitest';
import { offlineContext } from '../fixtures/cli.ts';
import { startOperatedFleet } from './operated-fleet.ts';

it('a fleet with nodes says who can run commands on this machine, before it installs anything', {
  timeout: 60_000,
}, async () => {
  await using directory = await temporaryDirectory();
  const lines: string[] = [];
  const options = { directory: directory.path, keep: false, real: false, clusters: 1, auth: 'csr', timeout: 60 };
  // The script of this context does not exist, so the first command that installs something ends the start.
  const started = startOperatedFleet({
    ...options,
    context: offlineContext(),
    report: (line) => lines.push(line),
  });
  await expect(started).rejects.toThrow('flotilla init failed on hub');
  expect(lines).toEqual([
    expect.stringMatching(/^hub is up at https:.*, with a node that runs pods as processes$/),
    'cluster1 is up, with such a node too',
    `pods run as ${userInfo().username} on this machine, and the image busybox is its shell:`,
    'whoever may create pods or works in this fleet can run commands as that user',
    expect.stringMatching(/^hub: flotilla init --operator=true /),
  ]);
});
