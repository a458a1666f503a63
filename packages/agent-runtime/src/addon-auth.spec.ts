import { type ManagedClusterAddOn, managedClusterAddOns } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { csrDriver } from '@flotilla/driver-csr';
import { tokenDriver } from '@flotilla/driver-token';
import { applyConditions } from '@flotilla/kube';
import {
  certificateSigningRequests,
  namespaces,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
  setApproval,
} from '@flotilla/kube/kinds';
import {
  bindDriver,
  certificateUser,
  startDrivers,
  startTestFleet,
  type TestFleet,
  type TestFleetOptions,
} from '@flotilla/registration-core/testing';
import { describe, expect, it } from 'vitest';

const kinds = ['ManagedCluster', 'ManagedClusterAddOn', 'ClusterClaim'];
const csrOptions = { clientCertExpirationSeconds: 3600 };
const hubOptions = { autoApprovedCsrUsers: [], clusterAutoApprovalUsers: [] };

const fleetOptions: TestFleetOptions = {
  startPlane: (clock) =>
    startControlPlane({
      listen: false,
      clock,
      crds: customResourceDefinitions().filter(({ spec }) => kinds.includes(spec.names.kind)),
    }),
  driver: (flags) => bindDriver(csrDriver, { ...flags, ...csrOptions }),
  addonDrivers: [bindDriver(tokenDriver, { addonTokenExpirationSeconds: 3600 })],
  hubDrivers: (context) => startDrivers([csrDriver], { ...context, options: hubOptions }),
  authenticate: certificateUser,
};

const namespace = 'open-cluster-management-agent-addon';
const addons = ({ hub }: TestFleet) => hub.client.resource(managedClusterAddOns);
const apiGroup = 'rbac.authorization.k8s.io';

/** Approves all requests, as an administrator. */
async function approve({ hub, clock }: TestFleet): Promise<void> {
  const { items } = await hub.client.resource(certificateSigningRequests).list();
  const approval = { type: 'Approved', reason: 'ByAdmin', message: 'by an administrator' } as const;
  for (const request of items) await setApproval(hub.client, request, approval, { now: clock.now() });
}

/** Makes the service account of the add-on and lets the cluster request its tokens. */
async function makeServiceAccount({ hub: { client }, clock }: TestFleet): Promise<void> {
  const metadata = { namespace: 'c1', name: 'work-agent' };
  const account = await client.resource(serviceAccounts).create({ metadata });
  const rule = {
    apiGroups: [''],
    resources: ['serviceaccounts/token'],
    resourceNames: ['work-agent'],
    verbs: ['create'],
  };
  await client.resource(roles).create({ metadata, rules: [rule] });
  const subjects = [{ apiGroup, kind: 'Group', name: 'system:open-cluster-management:c1' }];
  await client
    .resource(roleBindings)
    .create({ metadata, roleRef: { apiGroup, kind: 'Role', name: 'work-agent' }, subjects });
  const type = 'TokenInfrastructureReady';
  const message = `ServiceAccount c1/work-agent (UID: ${account.metadata?.uid}) is ready`;
  const handle = client.resource(managedClusterAddOns);
  const addon = await handle.get('c1/work');
  await applyConditions(handle, addon, [{ type, status: 'True', reason: type, message }], {
    clock,
    observedGeneration: false,
  });
}

/** Starts an agent whose add-ons register so, and waits until it runs. */
async function startAgent(fleet: TestFleet, addonAuth: string) {
  const agent = fleet.startAgent({ addonAuth });
  await fleet.eventually(async () => {
    await fleet.admin.accept('c1');
    await approve(fleet);
    expect(agent.state.phase).toBe('running');
  });
  return agent;
}

const stored = (fleet: TestFleet, key: string): Promise<Record<string, string>> =>
  fleet.eventually(async () => {
    await approve(fleet);
    const secret = await fleet.spoke.client.resource(secrets).get(`${namespace}/work-hub-kubeconfig`);
    const entries = Object.entries(secret.data ?? {}).map(([name, text]) => [
      name,
      Buffer.from(text, 'base64').toString(),
    ]);
    const found = Object.fromEntries(entries);
    expect(Object.keys(found)).toContain(key);
    return found;
  });

async function register(fleet: TestFleet): Promise<void> {
  await fleet.spoke.client.resource(namespaces).create({ metadata: { name: namespace } });
  await addons(fleet).create({ metadata: { name: 'work', namespace: 'c1' }, spec: {} });
  const registrations = [{ type: 'kubeClient' as const, kubeClient: {} }];
  await addons(fleet).status.patch('c1/work', { type: 'merge', body: { status: { registrations } } });
}

const kubeClientOf = ({ status }: ManagedClusterAddOn) => status?.registrations?.[0]?.kubeClient;

describe('an agent whose add-ons may register by certificate and by token', () => {
  it('[registration-agent 19.9-93] gives them the other credential after a restart with the other flag, and back', async () => {
    await using fleet = await startTestFleet(fleetOptions);
    const first = await startAgent(fleet, 'csr');
    await register(fleet);
    const byCertificate = await stored(fleet, 'tls.crt');
    expect(Object.keys(byCertificate).sort()).toEqual(['cluster-name', 'kubeconfig', 'tls.crt', 'tls.key']);
    expect(byCertificate.kubeconfig).toContain('client-certificate: tls.crt');
    await first.stop();

    const second = await startAgent(fleet, 'token');
    await makeServiceAccount(fleet);
    const byToken = await stored(fleet, 'token');
    expect(Object.keys(byToken).sort()).toEqual(['cluster-name', 'kubeconfig', 'token']);
    expect(byToken.kubeconfig).toContain('tokenFile: token');
    const user = 'system:serviceaccount:c1:work-agent';
    expect(kubeClientOf(await addons(fleet).get('c1/work'))).toEqual({ driver: 'token', subject: { user } });
    await second.stop();

    await startAgent(fleet, 'csr');
    const again = await stored(fleet, 'tls.crt');
    expect(Object.keys(again).sort()).toEqual(['cluster-name', 'kubeconfig', 'tls.crt', 'tls.key']);
    expect(again.kubeconfig).toBe(byCertificate.kubeconfig);
    expect(kubeClientOf(await addons(fleet).get('c1/work'))).toEqual({ driver: 'csr' });
  });

  it('writes the kubeconfig anew where another agent left one of the other auth type beside a good certificate', async () => {
    await using fleet = await startTestFleet(fleetOptions);
    const first = await startAgent(fleet, 'csr');
    await register(fleet);
    const { kubeconfig = '' } = await stored(fleet, 'tls.crt');
    await first.stop();
    const handle = fleet.spoke.client.resource(secrets);
    const secret = await handle.get(`${namespace}/work-hub-kubeconfig`);
    const other = kubeconfig.replace(
      / {4}client-certificate: tls.crt\n {4}client-key: tls.key/,
      '    tokenFile: token',
    );
    expect(other).not.toBe(kubeconfig);
    await handle.replace({ ...secret, data: { ...secret.data, kubeconfig: Buffer.from(other).toString('base64') } });
    await startAgent(fleet, 'csr');
    await fleet.eventually(async () => expect((await stored(fleet, 'tls.crt')).kubeconfig).toBe(kubeconfig));
  });
});
