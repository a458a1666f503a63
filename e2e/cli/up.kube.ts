import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serverKinds } from '../registration/servers.ts';
import { openShell, type Shell } from './shell.ts';

let directory: string;
let data: string;
let shell: Shell;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'flotilla-e2e-'));
  data = join(directory, 'fleet');
  shell = await openShell(directory);
});
afterEach(async () => {
  await shell.run(`flotilla down --data-dir ${data}`);
  await rm(directory, { recursive: true, force: true });
});

/** Runs a line that must work, and gives what it wrote. */
async function ok(line: string): Promise<string> {
  const { code, out, err } = await shell.run(line);
  expect(code, `${line}\n${out}${err}`).toBe(0);
  return out;
}

const kubeconfig = (name: string) => join(data, 'kubeconfigs', `${name}.yaml`);

const fleets = {
  embedded: { flags: '', clusters: ['cluster1', 'cluster2'], waiting: 'cluster3' },
  'kube-apiserver': { flags: '--kube', clusters: ['cluster1'], waiting: 'cluster2' },
};

describe.each(serverKinds)('flotilla up on %s', (kind) => {
  const { flags, clusters, waiting } = fleets[kind];
  it('joins clusters, runs what it proposes to try, and continues after a restart', {
    timeout: 300_000,
  }, async () => {
    const up = `flotilla up --detach --data-dir ${data} --clusters ${clusters.length} ${flags}`;
    const table = () => ok(`flotilla get clusters --kubeconfig ${kubeconfig('hub')}`);

    const output = await ok(up);
    for (const name of clusters) {
      expect(output).toMatch(new RegExp(`${name} asks to join[^]*${name} is accepted[^]*${name} is Available`));
      expect(output).toMatch(new RegExp(`^${name} +true +True +True +default`, 'm'));
    }
    expect(output).toMatch(new RegExp(`^${waiting} +false`, 'm'));
    expect((await stat(kubeconfig('hub'))).mode & 0o777).toBe(0o600);
    expect((await stat(kubeconfig('cluster1'))).mode & 0o777).toBe(0o600);

    const lines = output.split('\n').filter((line) => line.startsWith('  flotilla '));
    expect(lines).toHaveLength(3);
    for (const line of lines) await ok(line.trim());
    await expect.poll(table, { timeout: 30_000 }).toMatch(new RegExp(`^${waiting} +true +True +True`, 'm'));
    const gone = clusters.at(-1);
    expect(await table()).not.toContain(`${gone} `);
    if (gone !== 'cluster1') {
      expect(await ok(`flotilla get works --kubeconfig ${kubeconfig('hub')}`)).toMatch(/^try +cluster1 +1 +True/m);
    }

    const requests = () => ok(`flotilla get csr --clusters ${waiting} --kubeconfig ${kubeconfig('hub')}`);
    const before = (await requests()).split('\n').length;
    await ok(`flotilla down --data-dir ${data}`);
    expect(await shell.run(`flotilla get clusters --kubeconfig ${kubeconfig('hub')}`)).toMatchObject({ code: 4 });
    const again = await ok(up);
    expect(again).toContain(gone === 'cluster1' ? 'cluster1 was unjoined' : 'cluster1 is back');
    expect(again).not.toContain('asks to join');
    expect(again).not.toContain(`accept --clusters ${waiting}`);
    await expect.poll(table, { timeout: 30_000 }).toMatch(new RegExp(`^${waiting} +true +True +True`, 'm'));
    expect(await table()).not.toContain(`${gone} `);
    expect((await requests()).split('\n')).toHaveLength(before);
  });
});

describe('flotilla up in the foreground', () => {
  it('ends with Ctrl-C and leaves nothing: no process, no file', { timeout: 90_000 }, async () => {
    const parent = await mkdtemp(join(directory, 'temporary-'));
    const temporary = async () => (await readdir(parent)).filter((name) => /^flotilla-up-\d+-\w{6}$/.test(name));
    const up = `env TMPDIR=${parent} flotilla up --clusters 1`;
    // One that is killed cannot remove its directory, which has keys in it; the next one does.
    const killed = shell.start(up);
    await expect.poll(() => killed.said, { timeout: 40_000 }).toContain('hub is up');
    await killed[Symbol.asyncDispose]();
    expect(await temporary()).toHaveLength(1);
    await using fleet = shell.start(up);
    // At once: nothing that it still does then may make it miss the signal.
    await expect.poll(() => fleet.said, { timeout: 40_000, interval: 1 }).toContain('Ctrl-C stops the fleet.');
    fleet.interrupt();
    expect(await fleet.ended).toMatchObject({ code: 0, err: expect.stringContaining('Stopping the fleet.') });
    expect(await temporary()).toEqual([]);
  });

  it('refuses a directory that another one uses, and what it cannot start', { timeout: 60_000 }, async () => {
    const fleet = JSON.parse(await ok(`flotilla up --detach --data-dir ${data} --clusters 1 --auto-accept -o json`));
    expect(fleet.kubeconfigs).toEqual({ cluster1: kubeconfig('cluster1'), hub: kubeconfig('hub') });
    for (const flags of ['', '--detach'])
      expect(await shell.run(`flotilla up ${flags} --data-dir ${data}`)).toMatchObject({
        code: 3,
        err: expect.stringContaining('another flotilla up uses'),
      });
    expect((await shell.run('flotilla up --clusters none')).code).toBe(2);
    expect(await ok(`flotilla down --data-dir ${data} -o json`)).toContain('"stopped": true');
    expect(await ok(`flotilla down --data-dir ${data}`)).toContain('No fleet');
  });
});
