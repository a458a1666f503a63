import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

describe.each([
  { servers: 'embedded API servers', flags: '', clusters: ['cluster1', 'cluster2'], waiting: 'cluster3' },
  { servers: 'real API servers', flags: '--kube', clusters: ['cluster1'], waiting: 'cluster2' },
])('flotilla up on $servers', ({ flags, clusters, waiting }) => {
  it('joins clusters, does what it tells the user to try, and goes on after a restart', {
    timeout: 300_000,
  }, async () => {
    const up = `flotilla up --detach --data-dir ${data} --clusters ${clusters.length} ${flags}`;
    const table = () => ok(`flotilla get clusters --kubeconfig ${kubeconfig('hub')}`);

    const story = await ok(up);
    for (const name of clusters) {
      expect(story).toMatch(new RegExp(`${name} asks to join[^]*${name} is accepted[^]*${name} is Available`));
      expect(story).toMatch(new RegExp(`^${name} +true +True +True +default`, 'm'));
    }
    expect(story).toMatch(new RegExp(`^${waiting} +false`, 'm'));
    expect((await stat(kubeconfig('hub'))).mode & 0o777).toBe(0o600);
    expect((await stat(kubeconfig('cluster1'))).mode & 0o777).toBe(0o600);

    const lines = story.split('\n').filter((line) => line.startsWith('  flotilla '));
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
    await ok(up);
    await expect.poll(table, { timeout: 30_000 }).toMatch(new RegExp(`^${waiting} +true +True +True`, 'm'));
    expect((await requests()).split('\n')).toHaveLength(before);
  });
});

describe('flotilla up in the foreground', () => {
  it('ends with Ctrl-C and leaves nothing: no process, no file', { timeout: 60_000 }, async () => {
    const temporary = async () => (await readdir(tmpdir())).filter((name) => /^flotilla-\w{6}$/.test(name));
    const before = await temporary();
    await using fleet = shell.start('flotilla up --clusters 1');
    await expect.poll(() => fleet.said, { timeout: 40_000 }).toContain('Ctrl-C ends everything.');
    fleet.interrupt();
    expect(await fleet.ended).toMatchObject({ code: 0, err: expect.stringContaining('Ending everything.') });
    expect(await temporary()).toEqual(before);
  });

  it('refuses a directory that another one uses, and what it cannot start', { timeout: 60_000 }, async () => {
    const fleet = JSON.parse(await ok(`flotilla up --detach --data-dir ${data} --clusters 1 --auto-accept -o json`));
    expect(fleet.kubeconfigs).toEqual({ cluster1: kubeconfig('cluster1'), hub: kubeconfig('hub') });
    for (const flags of ['', '--detach'])
      expect(await shell.run(`flotilla up ${flags} --data-dir ${data}`)).toMatchObject({
        code: 3,
        err: expect.stringContaining('another flotilla up uses'),
      });
    expect((await shell.run('flotilla up --clusters 0')).code).toBe(2);
    expect(await ok(`flotilla down --data-dir ${data} -o json`)).toContain('"stopped": true');
    expect(await ok(`flotilla down --data-dir ${data}`)).toContain('No fleet');
  });
});
