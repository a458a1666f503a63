import { join } from 'node:path';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { createKubeClient, KubeError } from '@flotilla/kube';
import { leases, namespaces, pods } from '@flotilla/kube/kinds';
import { FakeClock, temporaryDirectory } from '@flotilla/kube/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { agentRuntime } from './agent-runtime.ts';
import { apiServerLive, podRunning } from './checks.ts';
import { runLease } from './lease.ts';

const start = (clock: FakeClock) => startControlPlane({ listen: false, clock, crds: customResourceDefinitions() });
const renewal = async ({ client }: ControlPlane, key: string) =>
  (await client.resource(leases).find(key))?.spec?.renewTime;

describe('the lease of an agent', () => {
  it('is created, and renewed every minute and a bit while the checks pass', async () => {
    const clock = new FakeClock();
    await using plane = await start(clock);
    const end = new AbortController();
    let problem: string | undefined;
    const running = runLease({
      ...{ addonName: 'probe', namespace: 'default', local: plane.client, signal: end.signal, clock },
      checks: [() => problem],
      random: () => 0.4,
    });
    await expect.poll(() => renewal(plane, 'default/probe')).toBeDefined();
    const first = await renewal(plane, 'default/probe');
    expect((await plane.client.resource(leases).get('default/probe')).spec?.leaseDurationSeconds).toBe(60);
    await clock.advance(65_999);
    expect(await renewal(plane, 'default/probe')).toBe(first);
    await clock.advance(1);
    await expect.poll(() => renewal(plane, 'default/probe')).not.toBe(first);
    const second = await renewal(plane, 'default/probe');
    problem = 'not well';
    await clock.advance(66_000);
    await clock.settle();
    expect(await renewal(plane, 'default/probe')).toBe(second);
    problem = undefined;
    await clock.advance(66_000);
    await expect.poll(() => renewal(plane, 'default/probe')).not.toBe(second);
    end.abort();
    await running;
  });

  it('is on the hub if the managed cluster serves none', async () => {
    const clock = new FakeClock();
    await using hub = await start(clock);
    await hub.client.resource(namespaces).create({ metadata: { name: 'c1' } });
    const transport = {
      ...hub.client.transport,
      request: async () => {
        throw new KubeError('NotFound', 'the server could not find the requested resource');
      },
    };
    const end = new AbortController();
    const running = runLease({
      ...{ addonName: 'probe', namespace: 'default', signal: end.signal, clock },
      local: createKubeClient({ transport, clock }),
      hub: { client: hub.client, clusterName: 'c1' },
    });
    await expect.poll(() => renewal(hub, 'c1/probe')).toBeDefined();
    end.abort();
    await running;
  });
});

describe('the checks of an agent', () => {
  it('look for a pod that runs, and for an API server that answers', async () => {
    const clock = new FakeClock();
    await using plane = await start(clock);
    const { signal } = new AbortController();
    const check = podRunning(plane.client, 'default', 'app=agent');
    expect(await check(signal)).toBe('no pod of app=agent in default is running');
    const metadata = { name: 'agent', namespace: 'default', labels: { app: 'agent' } };
    await plane.client.resource(pods).create({ metadata, spec: { containers: [{ name: 'a', image: 'a' }] } });
    await plane.client
      .resource(pods)
      .status.patch('default/agent', { type: 'merge', body: { status: { phase: 'Running' } } });
    expect(await check(signal)).toBeUndefined();
    expect(await apiServerLive(plane.client)(signal)).toBeUndefined();
    const seen: string[] = [];
    const transport = {
      ...plane.client.transport,
      request: async ({ path }: { path: string }) => {
        seen.push(path);
        throw new KubeError(path === '/livez' ? 'Forbidden' : 'Unavailable', 'no');
      },
    };
    await expect(apiServerLive({ transport })(signal)).rejects.toThrow('no');
    expect(seen).toEqual(['/livez', '/healthz']);
  });
});

afterEach(() => vi.unstubAllEnvs());
it('an agent in hosted mode renews its lease on the cluster that hosts it', async () => {
  const staticTokens = { pod: { name: 'admin', groups: ['system:masters'] } };
  await using hosting = await startControlPlane({ staticTokens });
  await using managed = await startControlPlane();
  await using directory = await temporaryDirectory();
  await directory.write('pod/token', 'pod');
  await directory.write('pod/ca.crt', hosting.ca);
  const { hostname, port } = new URL(hosting.server);
  vi.stubEnv('KUBERNETES_SERVICE_HOST', hostname);
  vi.stubEnv('KUBERNETES_SERVICE_PORT', port);
  vi.stubEnv('KUBERNETES_SERVICE_ACCOUNT_DIRECTORY', join(directory.path, 'pod'));
  await using runtime = agentRuntime({
    ...{ addonName: 'probe', clusterName: 'c1', namespace: 'default' },
    managedKubeconfig: await directory.write('managed/kubeconfig', managed.kubeconfig),
  });
  const end = new AbortController();
  const lease = runtime.runLease(end.signal);
  await expect.poll(() => renewal(hosting, 'default/probe')).toBeDefined();
  expect(await renewal(managed, 'default/probe')).toBeUndefined();
  end.abort();
  await lease;
});

it('an agent uses credentials that are renewed on disk', async () => {
  await using plane = await startControlPlane();
  await using directory = await temporaryDirectory();
  const broken = plane.kubeconfig.replace(/server: .*/, 'server: https://127.0.0.1:1');
  const hubKubeconfig = await directory.write('hub/kubeconfig', broken);
  const managedKubeconfig = await directory.write('managed/kubeconfig', plane.kubeconfig);
  await using runtime = agentRuntime({
    ...{ addonName: 'probe', clusterName: 'c1', namespace: 'default' },
    ...{ hubKubeconfig, managedKubeconfig },
  });
  await expect(runtime.hub?.resource(namespaces).get('default', { deadlineMs: 200 })).rejects.toThrow();
  await directory.write('hub/kubeconfig', plane.kubeconfig);
  await expect
    .poll(
      async () =>
        (
          await runtime.hub
            ?.resource(namespaces)
            .get('default', { deadlineMs: 500 })
            .catch(() => undefined)
        )?.metadata?.name,
    )
    .toBe('default');
  const end = new AbortController();
  const lease = runtime.runLease(end.signal);
  await expect.poll(() => renewal(plane, 'default/probe')).toBeDefined();
  end.abort();
  await lease;
});
