import { copyFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appliedManifestWorks, manifestWorks } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { type AccessSource, createKubeClient, kubeconfigAccess, realClock, silentLogger } from '@flotilla/kube';
import { configMaps, namespaces } from '@flotilla/kube/kinds';
import { noMetrics } from '@flotilla/kube/metrics';
import { createTransport } from '@flotilla/kube/transport';
import { defineOptions, kubeOptions, parseOptions } from '@flotilla/process';
import { NEVER, Subject } from 'rxjs';
import { expect, it } from 'vitest';
import { configMap } from './fixtures/world.ts';
import { workAgentFlags } from './flags.ts';
import { hubHashOf } from './hub-hash.ts';
import { runWork, runWorkAgent } from './run-agent.ts';

const crds = () => customResourceDefinitions().filter(({ spec }) => spec.group === 'work.open-cluster-management.io');

const order = async (hub: Awaited<ReturnType<typeof startControlPlane>>, name: string): Promise<void> => {
  await hub.client.resource(namespaces).create({ metadata: { name: 'edge' } });
  await hub.client.resource(manifestWorks).create({
    metadata: { namespace: 'edge', name },
    spec: { workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', ...configMap(name) } as never] } },
  });
};

it('waits for the identity that registration leaves in files, and follows the hub to another address', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-work-'));
  const file = (name: string) => join(directory, name);
  await using first = await startControlPlane({ crds: crds(), kubeconfigPath: file('first') });
  await using second = await startControlPlane({ crds: crds(), kubeconfigPath: file('second') });
  await using cluster = await startControlPlane({ crds: crds(), listen: false });
  await order(first, 'of-the-first');
  await order(second, 'of-the-second');

  const argv = [`--hub-kubeconfig-dir=${directory}`, `--workload-source-config=${file('kubeconfig')}`, '--agent-id=a1'];
  const parsed = parseOptions(defineOptions({ ...kubeOptions, ...workAgentFlags }), { argv, env: {} });
  if (parsed.kind !== 'run') throw new Error('these flags run an agent');
  const end = new AbortController();
  const spoke = createKubeClient({ transport: cluster.client.transport, fieldManager: 'work-agent' });
  const running = runWorkAgent(
    { options: parsed.values, signal: end.signal, clock: realClock, log: silentLogger, kitMetrics: () => noMetrics },
    { spoke, env: {} },
  );
  const exists = async (name: string) =>
    (await cluster.client.resource(configMaps).find(`default/${name}`)) !== undefined;
  try {
    await writeFile(file('cluster-name'), 'edge\n');
    await copyFile(file('first'), file('kubeconfig'));
    await expect.poll(() => exists('of-the-first')).toBe(true);
    // As a mounted secret does it: the file is replaced, not written.
    await rename(file('second'), file('kubeconfig'));
    await expect.poll(() => exists('of-the-second')).toBe(true);
    const records = await cluster.client.resource(appliedManifestWorks).list();
    expect(records.items.map(({ metadata }) => metadata.name).sort()).toEqual(
      [`${hubHashOf(first.server)}-of-the-first`, `${hubHashOf(second.server)}-of-the-second`].sort(),
    );
    const left = records.items.find(({ spec }) => spec?.manifestWorkName === 'of-the-first');
    expect(left?.status?.evictionStartTime).toBeDefined();
  } finally {
    end.abort();
    await running;
    await rm(directory, { recursive: true });
  }
});

it('keeps the identity of the hub while another of its addresses is in use', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-work-'));
  const kubeconfig = join(directory, 'kubeconfig');
  await using hub = await startControlPlane({ crds: crds(), kubeconfigPath: kubeconfig });
  await using cluster = await startControlPlane({ crds: crds(), listen: false });
  await order(hub, 'before');
  const stored = kubeconfigAccess({ files: kubeconfig, clock: realClock });
  const changes = new Subject<void>();
  let { server } = hub;
  const access: AccessSource = {
    current: async () => ({ ...(await stored.current()), server }),
    changes,
    errors: NEVER,
    invalidate() {},
    close() {},
  };
  const parsed = parseOptions(defineOptions({ ...kubeOptions, ...workAgentFlags }), { argv: [], env: {} });
  if (parsed.kind !== 'run') throw new Error('these flags run an agent');
  const end = new AbortController();
  const spoke = createKubeClient({ transport: cluster.client.transport, fieldManager: 'work-agent' });
  const context = { clock: realClock, log: silentLogger, kitMetrics: () => noMetrics };
  const running = runWork(
    { ...context, options: parsed.values, signal: end.signal },
    {
      connect: () => ({ transport: createTransport({ access, clock: realClock, env: {} }) }),
      server: hub.server,
      clusterName: 'edge',
      agentID: '',
    },
    spoke,
  );
  const found = async (name: string) =>
    (await cluster.client.resource(configMaps).find(`default/${name}`)) !== undefined;
  const works = hub.client.resource(manifestWorks);
  try {
    await expect.poll(() => found('before')).toBe(true);
    server = hub.server.replace('127.0.0.1', 'localhost');
    expect(server).not.toBe(hub.server);
    changes.next();
    await works.create({
      metadata: { namespace: 'edge', name: 'after' },
      spec: { workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', ...configMap('after') } as never] } },
    });
    await expect.poll(() => found('after')).toBe(true);
    const records = await cluster.client.resource(appliedManifestWorks).list();
    const hash = hubHashOf(hub.server);
    expect(records.items.map(({ metadata, spec }) => [metadata.name, spec?.agentID]).sort()).toEqual([
      [`${hash}-after`, hash],
      [`${hash}-before`, hash],
    ]);
    await works.delete('edge/before');
    await expect.poll(() => works.find('edge/before')).toBeUndefined();
    expect(await found('before')).toBe(false);
  } finally {
    end.abort();
    await running;
    stored.close();
    await rm(directory, { recursive: true });
  }
});
