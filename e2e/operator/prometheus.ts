import type { KubeClient } from '@flotilla/kube';
import { clusterRoleBindings, clusterRoles, createToken, type Pod, serviceAccounts } from '@flotilla/kube/kinds';
import { statusOf } from '../registration/scrape.ts';

/** The ports that the PodMonitor of the chart selects. */
const scraped = ['health', 'metrics'];

/** Scrapes each pod once as Prometheus does, with a service account that may read metrics. Gives the statuses by program. */
export async function scrape(client: KubeClient, pods: readonly Pod[]): Promise<Record<string, unknown>> {
  const [namespace, name] = ['default', 'prometheus'];
  const rules = [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }];
  await client.resource(serviceAccounts).create({ metadata: { namespace, name } });
  await client.resource(clusterRoles).create({ metadata: { name }, rules });
  await client.resource(clusterRoleBindings).create({
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', namespace, name }],
  });
  try {
    const { token } = await createToken(client, `${namespace}/${name}`, { expirationSeconds: 3600 });
    const statuses = pods.map(async ({ metadata, spec, status }) => {
      const ports = (spec?.containers ?? []).flatMap((container) => container.ports ?? []);
      const port = ports.find((each) => scraped.includes(each.name ?? ''))?.containerPort;
      return [metadata?.labels?.app, await statusOf(`https://${status?.podIP}:${port}/metrics`, token)];
    });
    return Object.fromEntries(await Promise.all(statuses));
  } finally {
    await client.resource(clusterRoleBindings).delete(name);
    await client.resource(clusterRoles).delete(name);
    await client.resource(serviceAccounts).delete(`${namespace}/${name}`);
  }
}
