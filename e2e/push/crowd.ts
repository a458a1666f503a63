import { managedClusters } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import type { KubeClient } from '@flotilla/kube';
import { clusterRoleBindings, createToken, namespaces, secrets, serviceAccounts } from '@flotilla/kube/kinds';
import { memberSecret } from '@flotilla/registration-core/push';
import type { Server } from '../registration/servers.ts';

/** Many members in this process, which the hub reaches by sockets. */
export interface Crowd extends AsyncDisposable {
  readonly names: readonly string[];
  plane(name: string): ControlPlane;
}

const account = 'kube-system/push';
const memberDefinitions = () =>
  customResourceDefinitions().filter(({ spec }) => ['ClusterClaim', 'AppliedManifestWork'].includes(spec.names.kind));

/** Starts members. Their administrator is the hub: what a credential may do is another suite's subject. */
export async function startCrowd(size: number): Promise<Crowd> {
  const names = Array.from({ length: size }, (_, index) => `crowd-${index}`);
  const planes = new Map<string, ControlPlane>();
  for (const name of names) planes.set(name, await startControlPlane({ crds: memberDefinitions() }));
  return {
    names,
    plane(name) {
      const plane = planes.get(name);
      if (!plane) throw new Error(`there is no member ${name}`);
      return plane;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...planes.values()].map((plane) => plane.stop()));
    },
  };
}

/** Makes a member a pushed cluster of a hub, without the command line, which takes a second for each. */
export async function pushMember(
  hub: Pick<Server, 'client' | 'access'>,
  name: string,
  plane: ControlPlane,
): Promise<void> {
  await grant(plane.client);
  const { token } = await createToken(plane.client, account, { expirationSeconds: 7200 });
  const cluster = await hub.client.resource(managedClusters).create({
    metadata: { name, labels: { 'open-cluster-management.io/cluster-mode': 'Push' } },
    spec: { hubAcceptsClient: true },
  });
  const { server, ca } = plane.access;
  await hub.client
    .resource(namespaces)
    .create({ metadata: { name } })
    .catch(() => undefined);
  const credential = {
    access: { server, ...(ca && { ca }) },
    token,
    serviceAccount: account,
    hubServer: hub.access.server,
  };
  await hub.client.resource(secrets).create(memberSecret(cluster, credential));
}

async function grant(client: KubeClient): Promise<void> {
  const [namespace = '', name = ''] = account.split('/');
  await client.resource(serviceAccounts).create({ metadata: { namespace, name } });
  await client.resource(clusterRoleBindings).create({
    metadata: { name: 'push' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', namespace, name }],
  });
}
