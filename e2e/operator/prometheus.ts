import { NamespaceName } from '@flotilla/api-types';
import { clusterManagerObjects } from '@flotilla/install/chart';
import { type KubeClient, keyOf } from '@flotilla/kube';
import { createToken, type Pod, secrets } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { expect } from 'vitest';
import { statusOf } from '../registration/scrape.ts';
import type { ServerKind } from '../registration/servers.ts';
import { patience } from './operated-cluster.ts';

/** The ports that the PodMonitor of the chart selects. */
const scraped = ['health', 'metrics'];

/** The account of the chart that reads metrics, with its role and its Secret, which the PodMonitor names. */
const reader = 'cluster-manager-metrics-reader';
const readerObjects = (): KubeObject[] =>
  clusterManagerObjects(
    { monitoring: { serviceMonitor: { enabled: true } } },
    { version: '0.0.0', drivers: [] },
  ).filter(({ metadata }) => metadata?.name === reader);

const handleOf = (client: KubeClient, { apiVersion = '', kind = '' }: KubeObject) =>
  client.dynamic({ apiVersion, kind });

/** Scrapes each pod once as Prometheus does, with the token of the chart. Gives the statuses by program. */
export async function scrape(
  client: KubeClient,
  pods: readonly Pod[],
  kind: ServerKind,
): Promise<Record<string, unknown>> {
  const objects = readerObjects();
  for (const object of objects) await (await handleOf(client, object)).apply(object, { fieldManager: 'helm' });
  try {
    const token = await tokenOf(client, kind);
    const statuses = pods.map(async ({ metadata, spec, status }) => {
      const ports = (spec?.containers ?? []).flatMap((container) => container.ports ?? []);
      const port = ports.find((each) => scraped.includes(each.name ?? ''))?.containerPort;
      return [metadata?.labels?.app, await statusOf(`https://${status?.podIP}:${port}/metrics`, token)];
    });
    return Object.fromEntries(await Promise.all(statuses));
  } finally {
    for (const object of objects.reverse()) await (await handleOf(client, object)).delete(keyOf(object));
  }
}

/** What Kubernetes writes into the Secret. The embedded control plane has no controller that does: there, a token of the same account. */
async function tokenOf(client: KubeClient, kind: ServerKind): Promise<string> {
  const key = `${NamespaceName.Operator}/${reader}`;
  if (kind === 'embedded') return (await createToken(client, key, { expirationSeconds: 3600 })).token;
  const read = async () => (await client.resource(secrets).get(key)).data?.token;
  await expect.poll(read, patience).toBeDefined();
  return Buffer.from((await read()) ?? '', 'base64').toString();
}
