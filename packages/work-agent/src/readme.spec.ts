import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manifestWorks } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { configMaps, namespaces } from '@flotilla/kube/kinds';
import { expect, it } from 'vitest';
import { applyWorks } from '../examples/apply-works.ts';
import { configMap } from './fixtures/world.ts';

it('shows in the README the example that the next test runs', async () => {
  const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8');
  const [, block] = /```ts\n([\s\S]*?)```/.exec(await read('../README.md')) ?? [];
  expect(block).toBe(await read('../examples/apply-works.ts'));
});

it('has an example that applies works over the network', async () => {
  const crds = customResourceDefinitions().filter(({ spec }) => spec.group === 'work.open-cluster-management.io');
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-work-'));
  const kubeconfig = (name: string) => ({ kubeconfigPath: join(directory, name), crds });
  await using hub = await startControlPlane(kubeconfig('hub'));
  await using cluster = await startControlPlane(kubeconfig('cluster'));
  const end = new AbortController();
  const running = applyWorks(join(directory, 'hub'), join(directory, 'cluster'), end.signal);
  try {
    await hub.client.resource(namespaces).create({ metadata: { name: 'edge' } });
    await hub.client.resource(manifestWorks).create({
      metadata: { namespace: 'edge', name: 'hello' },
      spec: {
        workload: {
          manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', ...configMap('hello', { who: 'world' }) } as never],
        },
      },
    });
    await expect
      .poll(async () => (await cluster.client.resource(configMaps).find('default/hello'))?.data)
      .toEqual({ who: 'world' });
  } finally {
    end.abort();
    await running;
    await rm(directory, { recursive: true });
  }
});
