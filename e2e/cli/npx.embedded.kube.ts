import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const run = promisify(execFile);
const packer = fileURLToPath(new URL('../../tools/bundle/pack-cli.ts', import.meta.url));

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'flotilla-npx-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

it('npx runs the packed command line on a machine that has Node and nothing else', { timeout: 120_000 }, async () => {
  const { stdout } = await run(process.execPath, [packer, directory]);
  const tarball = stdout.trim();
  const node = dirname(process.execPath);
  const npm = await run('sh', ['-c', 'dirname "$(command -v npm)"']);
  // The tools of a shell, Node and npm; an empty home, and no network.
  const env = { PATH: `${node}:${npm.stdout.trim()}:/usr/bin:/bin`, HOME: directory, npm_config_offline: 'true' };
  const npx = (...args: string[]) =>
    run('npx', ['--yes', `--package=${tarball}`, 'flotilla', ...args], { env, cwd: directory });
  expect((await npx('version')).stdout).toContain('flotilla\tversion');
  expect((await npx('init', '--help')).stdout).toContain('--operator');
  const refused = npx('get', 'clusters', '--kubeconfig', 'missing.yaml');
  await expect(refused).rejects.toMatchObject({ code: 2 });
});
