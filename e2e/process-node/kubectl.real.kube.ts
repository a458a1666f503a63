import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { ensureBinaries } from '@flotilla/envtest';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ServerKind } from '../registration/servers.ts';
import { type NodeCluster, networks, startNodeCluster } from './node-cluster.ts';

const execute = promisify(execFile);

// kubectl comes with the binaries of Kubernetes, so both planes are tried where those are.
const kinds: readonly ServerKind[] = ['embedded', 'kube-apiserver'];
const cases = kinds.flatMap((kind) => networks.map((network) => [kind, network] as const));

describe.each(cases)('kubectl and the pods of a process node on %s, with the network of a %s', (kind, network) => {
  let cluster: NodeCluster;
  let home: string;
  let program: string;
  beforeAll(async () => {
    program = (await ensureBinaries()).path('kubectl');
    cluster = await startNodeCluster(kind, { network });
    home = await mkdtemp(join(tmpdir(), 'flotilla-kubectl-'));
    await writeKubeconfig(join(home, 'config'), kubeconfigFor(cluster.server.access));
  }, 60_000);
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
  });

  const kubectl = async (...args: string[]) => {
    const env = { PATH: process.env.PATH, HOME: home, KUBECONFIG: join(home, 'config') };
    return (await execute(program, args, { env, timeout: 60_000 })).stdout;
  };

  test('get nodes, rollout status, get pods, logs', async () => {
    expect(await kubectl('get', 'nodes')).toMatch(/process-node +Ready/);
    await kubectl('create', 'deployment', 'web', '--image=web', '--replicas=2', '--port=8080');
    expect(await kubectl('rollout', 'status', 'deployment/web', '--timeout=30s')).toContain('successfully rolled out');
    expect(await kubectl('get', 'pods', '-l', 'app=web')).toMatch(/1\/1 +Running +0/);
    const both = /^\[pod\/web-\S+\/web\] listening\n\[pod\/web-\S+\/web\] listening\n$/;
    const logs = () => kubectl('logs', '-l', 'app=web', '--prefix', '--tail=1');
    await vi.waitFor(async () => expect(await logs()).toMatch(both), { timeout: 20_000, interval: 100 });
    expect(await kubectl('logs', 'deployment/web', '--timestamps')).toMatch(/^\d{4}-\d\d-\d\dT\S+Z listening/);
  });

  test('exec runs a command in a container, and ends as the command does', async () => {
    expect(
      await kubectl('exec', 'deployment/web', '--', 'cat', '/var/run/secrets/kubernetes.io/serviceaccount/namespace'),
    ).toBe('default');
    const ask = "fetch('http://127.0.0.1:8080/inside').then(({ status }) => console.log(status))";
    // With the machine's network the program listens at the address of its pod only.
    if (network === 'namespace') {
      expect(await kubectl('exec', 'deployment/web', '--', process.execPath, '-e', ask)).toBe('200\n');
    }
    const failed = kubectl('exec', 'deployment/web', '--', 'sh', '-c', 'echo oh no >&2; exit 5');
    await expect(failed).rejects.toMatchObject({ code: 5, stderr: expect.stringContaining('oh no') });
  });

  test('port-forward connects to a port of a pod', async () => {
    const env = { PATH: process.env.PATH, HOME: home, KUBECONFIG: join(home, 'config') };
    const child = spawn(program, ['port-forward', 'deployment/web', ':8080'], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      let port: string | undefined;
      for await (const line of createInterface({ input: child.stdout })) {
        port = /127\.0\.0\.1:(\d+) /.exec(line)?.[1];
        if (port !== undefined) break;
      }
      const answers = await Promise.all(
        [1, 2, 3].map(async (path) => (await fetch(`http://127.0.0.1:${port}/${path}`)).status),
      );
      expect(answers).toEqual([200, 200, 200]);
      expect(await kubectl('logs', 'deployment/web', '--all-pods=true')).toContain('asked for /3');
    } finally {
      child.kill();
    }
  });

  test('logs -f shows what comes, until the container ends', async () => {
    const script = 'for i in 1 2 3; do echo line $i; sleep 0.3; done';
    await kubectl('run', 'talker', '--image=shell', '--restart=Never', '--', script);
    await kubectl('wait', 'pod/talker', '--for=jsonpath={.status.containerStatuses[0].started}', '--timeout=30s').catch(
      () => {},
    );
    await vi.waitFor(async () => expect(await kubectl('logs', 'talker')).toContain('line 1'), {
      timeout: 20_000,
      interval: 100,
    });
    expect(await kubectl('logs', '-f', 'talker')).toBe('line 1\nline 2\nline 3\n');
    expect(await kubectl('logs', 'talker', '--tail=1')).toBe('line 3\n');
  });

  test('rollout undo brings the version before back', async () => {
    await kubectl('set', 'image', 'deployment/web', '*=nosuch');
    await vi.waitFor(async () => expect(await kubectl('get', 'pods')).toContain('ImagePullBackOff'), {
      timeout: 20_000,
      interval: 200,
    });
    expect(await kubectl('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={..waiting.message}')).toContain(
      'it has: deny, shell, web',
    );
    await kubectl('rollout', 'undo', 'deployment/web');
    expect(await kubectl('rollout', 'status', 'deployment/web', '--timeout=30s')).toContain('successfully rolled out');
    await kubectl('delete', 'deployment', 'web');
    await kubectl('wait', '--for=delete', 'pod', '-l', 'app=web', '--timeout=30s');
    expect(await kubectl('get', 'pods', '-l', 'app=web', '-o', 'name')).toBe('');
  });
});
