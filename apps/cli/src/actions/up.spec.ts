import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { flotilla } from '../fixtures/cli.ts';
import { claimDirectory } from '../up/control-socket.ts';

describe('up and down', () => {
  let parent: string;
  let directory: string;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'flotilla-up-spec-'));
    directory = join(parent, 'fleet');
  });
  afterEach(() => rm(parent, { recursive: true }));

  it.each([[[]], [['--detach']]])(
    'print with --dry-run what they would start, and start nothing: %s',
    async (flags) => {
      const argv = ['up', '--dry-run', '--clusters', '2', '--data-dir', directory, ...flags];
      expect(await flotilla(argv)).toEqual({
        code: 0,
        out: `Would start a hub and cluster1, cluster2, cluster3 on embedded API servers in ${directory}.\n`,
        err: '',
      });
      expect(JSON.parse((await flotilla([...argv, '--auto-accept', '-o', 'json'])).out)).toEqual({
        dryRun: true,
        directory,
        hub: 'hub',
        clusters: ['cluster1', 'cluster2'],
      });
      expect(await readdir(parent)).toEqual([]);
    },
  );

  it('start a hub alone with --clusters 0, and refuse more than they can run', async () => {
    const { out } = await flotilla(['up', '--dry-run', '--clusters', '0']);
    expect(out).toBe('Would start a hub on embedded API servers in a temporary directory.\n');
    expect(await flotilla(['up', '--clusters', '101'])).toMatchObject({ code: 2 });
  });

  it('print with --dry-run what they would stop, and stop nothing', async () => {
    const down = ['down', '--data-dir', parent];
    let stopped = false;
    await using _claim = await claimDirectory(parent, () => {
      stopped = true;
    });
    expect(await flotilla([...down, '--dry-run'])).toMatchObject({
      code: 0,
      out: `Would stop the fleet of ${parent}.\n`,
    });
    expect(stopped).toBe(false);
    const value = JSON.parse((await flotilla([...down, '--dry-run', '-o', 'json'])).out);
    expect(value).toEqual({ directory: parent, stopped: false, dryRun: true, running: true });
    expect(await flotilla(['up', '--data-dir', parent, '--dry-run'])).toMatchObject({
      code: 3,
      err: expect.stringContaining(`\`flotilla down --data-dir ${parent}\``),
    });
    // One that does not end is not waited for without a limit.
    expect(await flotilla([...down, '--timeout', '0'])).toMatchObject({
      code: 4,
      err: expect.stringContaining('has not ended after 0s'),
    });
  });
});
