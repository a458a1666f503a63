import { managedClusterAddOnsV1alpha1, managedClusters } from '@flotilla/api-types';
import { isConditionTrue, realClock } from '@flotilla/kube';
import { certificateSigningRequests, namespaces, secrets, setApproval } from '@flotilla/kube/kinds';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ocmDefinitions } from '../ocm/definitions.ts';
import { isUndecided } from '../registration/administrator.ts';
import type { Cluster } from '../registration/fleet.ts';
import { type InteropFleet, startInteropFleet } from './interop-fleet.ts';

const installNamespace = 'open-cluster-management-agent-addon';
const addonLabel = 'open-cluster-management.io/addon-name';

describe('on a server with the definitions of OCM, which has add-ons in v1alpha1 only', () => {
  let fleet: InteropFleet;
  beforeAll(async () => {
    fleet = await startInteropFleet({ crds: await ocmDefinitions() });
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(fleet.logs());
  });
  afterAll(() => fleet?.[Symbol.asyncDispose]());

  const addons = () => fleet.hub.client.resource(managedClusterAddOnsV1alpha1);
  const approveAddOn = async (addon: string): Promise<void> => {
    const request = await fleet.admin.seen.until(
      certificateSigningRequests,
      `a request of add-on ${addon}`,
      (one) => one.metadata?.labels?.[addonLabel] === addon && isUndecided(one),
    );
    const approval = { type: 'Approved', reason: 'E2E', message: 'approved by the administrator' } as const;
    await setApproval(fleet.hub.client, request, approval, { now: realClock.now() });
  };
  /** Has our agent register an add-on of a cluster; ends when the add-on has its credentials. */
  const registerAddOn = async (cluster: Cluster, name: string): Promise<void> => {
    await cluster.server.client.resource(namespaces).create({ metadata: { name: installNamespace } });
    const metadata = { namespace: name, name: 'search' };
    await addons().create({ metadata, spec: { installNamespace } });
    const subject = {
      user: `system:open-cluster-management:cluster:${name}:addon:search:agent:a`,
      groups: [`system:open-cluster-management:cluster:${name}:addon:search`],
    };
    const registrations = [{ signerName: 'kubernetes.io/kube-apiserver-client', subject }];
    await addons().status.patch(`${name}/search`, { type: 'merge', body: { status: { registrations } } });
    await approveAddOn('search');
    await fleet.admin.seen.until(
      managedClusterAddOnsV1alpha1,
      'the condition of the credentials',
      (addon) =>
        addon.metadata?.namespace === name && isConditionTrue(addon.status?.conditions, 'ClusterCertificateRotated'),
    );
    const { status } = await addons().get(`${name}/search`);
    expect(status).toMatchObject({ registrations, kubeClientDriver: 'csr' });
    const secret = await cluster.server.client.resource(secrets).get(`${installNamespace}/search-hub-kubeconfig`);
    expect(Object.keys(secret.data ?? {}).sort()).toEqual(['cluster-name', 'kubeconfig', 'tls.crt', 'tls.key']);
  };

  it("our agent gives add-ons their credentials, joined to OCM's hub", { timeout: 180_000 }, async () => {
    const hub = await fleet.startOcmHub();
    const cluster = await fleet.newCluster();
    const agent = cluster.startAgent('theirs');
    await fleet.accept('theirs');
    await registerAddOn(cluster, 'theirs');
    await agent.end();
    await hub.end();
  });

  it('our hub and our agent register a cluster with its add-on, label it, and remove it', {
    timeout: 180_000,
  }, async () => {
    fleet.startHub();
    const cluster = await fleet.newCluster();
    cluster.startAgent('ours');
    await fleet.accept('ours');
    await registerAddOn(cluster, 'ours');
    const label = 'feature.open-cluster-management.io/addon-search';
    await fleet.admin.seen.until(
      managedClusters,
      'the label of the add-on',
      ({ metadata }) => metadata?.name === 'ours' && metadata.labels?.[label] !== undefined,
    );
    await fleet.hub.client.resource(managedClusters).delete('ours');
    await fleet.admin.seen.gone(managedClusterAddOnsV1alpha1, 'ours/search');
    await fleet.admin.seen.gone(managedClusters, 'ours');
  });
});
