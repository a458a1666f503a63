import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSocksProxy } from '../../packages/kube/fixtures/socks-proxy.ts';
import { bundleOf } from '../registration/program.ts';

const flotilla = bundleOf('cli');

describe('the program flotilla', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-program-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('ends in good order when its output is closed', async () => {
    const child = spawn(process.execPath, [flotilla, 'completion', 'bash'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const said = text(child.stderr);
    await once(child, 'close');
    expect([child.exitCode, await said]).toEqual([0, '']);
  });

  it('reports output that cannot be written', () => {
    const { status, stderr } = spawnSync('sh', ['-c', `"${process.execPath}" "${flotilla}" version > /dev/full`], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^Error: the output cannot be written: ENOSPC/)]);
  });

  it('takes paths from where npm was called, not from where npm runs it', async () => {
    await writeFile(join(directory, 'bad.yaml'), 'no: manifest\n');
    const argv = [flotilla, 'create', 'work', 'a', '-c', 'cluster1', '-f', 'bad.yaml'];
    const env = { PATH: process.env.PATH, npm_lifecycle_event: 'flotilla', INIT_CWD: directory };
    const { status, stderr } = spawnSync(process.execPath, argv, { cwd: tmpdir(), env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('bad.yaml is not a Kubernetes object')]);
  });

  it('reaches a hub through a SOCKS proxy', async () => {
    await using hub = await startControlPlane({
      crds: customResourceDefinitions().filter(({ spec }) => spec.names.kind === 'ManagedCluster'),
    });
    await using proxy = await startSocksProxy({ targetPort: Number(new URL(hub.access.server).port) });
    const kubeconfig = join(directory, 'hub.yaml');
    await writeKubeconfig(kubeconfig, kubeconfigFor({ ...hub.access, proxyUrl: `socks5://127.0.0.1:${proxy.port}` }));
    const argv = [flotilla, 'get', 'clusters', '-o', 'json', '--kubeconfig', kubeconfig];
    const { stdout } = await promisify(execFile)(process.execPath, argv, { encoding: 'utf8' });
    expect(JSON.parse(stdout)).toMatchObject({ items: [] });
    expect(proxy.asked).toContain(new URL(hub.access.server).host);
  });

  it.each(['cli', 'hub', 'agent', 'singleton'])('says in one line that Node is too old: %s', async (app) => {
    const preload = join(directory, 'version.cjs');
    await writeFile(
      preload,
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });",
    );
    const argv = ['--require', preload, bundleOf(app)];
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^flotilla\S* needs Node 24 or newer; this is Node 20\.20\.2 \(.+\)\.\n$/);
  });
});
