import { Label, managedClusterAddOns, managedClusters, manifestWorks } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { createCloudEventsClient, createHubTransport } from '@flotilla/cloudevents';
import { startControlPlane } from '@flotilla/control-plane';
import { runGrpcServer } from '@flotilla/hub-runtime/grpc';
import { createKubeClient, realClock, silentLogger, staticAccess } from '@flotilla/kube';
import {
  certificateSigningRequests,
  clusterRoleBindings,
  configMaps,
  events,
  leases,
  namespaces,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
} from '@flotilla/kube/kinds';
import { createAuthority, generateKeys, issueCertificate, keyAlgorithm, loadX509 } from '@flotilla/kube/pki';
import { expect, it } from 'vitest';
import { applyManifests, recording } from './fixtures/restricted.ts';

const hubNamespace = 'open-cluster-management-hub';
const account = { name: `system:serviceaccount:${hubNamespace}:grpc-server-sa`, groups: ['system:authenticated'] };

async function signingRequest(): Promise<string> {
  const { Pkcs10CertificateRequestGenerator } = await loadX509();
  const keys = await generateKeys();
  const request = { name: 'CN=a', keys, signingAlgorithm: keyAlgorithm };
  return btoa((await Pkcs10CertificateRequestGenerator.create(request)).toString('pem'));
}

it('has every right that the gRPC server needs in the life of a cluster', async () => {
  await using plane = await startControlPlane({ crds: customResourceDefinitions() });
  const { client: admin } = plane;
  await applyManifests(admin, 'namespace.yaml', 'grpc/grpc-server-rbac.yaml');
  const authority = await createAuthority('grpc', realClock);
  const serving = await issueCertificate(authority, { usage: 'server', hosts: ['127.0.0.1'] }, realClock);
  await admin.resource(secrets).create({
    metadata: { name: 'grpc-server-serving-cert', namespace: hubNamespace },
    data: { 'tls.crt': btoa(serving.certificate), 'tls.key': btoa(serving.key) },
  });
  await admin.resource(configMaps).create({
    metadata: { name: 'ca-bundle-configmap', namespace: hubNamespace },
    data: { 'ca-bundle.crt': authority.certificate },
  });
  await admin.resource(namespaces).create({ metadata: { name: 'c1' } });
  // What the agent may do is not what is looked at here.
  await admin.resource(clusterRoleBindings).create({
    metadata: { name: 'agent' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:open-cluster-management:c1' }],
  });

  const refused: string[] = [];
  const stop = new AbortController();
  const { promise: listening, resolve: onListening } = Promise.withResolvers<{ port: number }>();
  const running = runGrpcServer({
    client: createKubeClient({ transport: recording(plane.clientOf(account).transport, refused) }),
    tls: {
      serving: { secret: `${hubNamespace}/grpc-server-serving-cert` },
      clientCa: { configMap: `${hubNamespace}/ca-bundle-configmap` },
    },
    onListening,
    signal: stop.signal,
    clock: realClock,
    log: silentLogger,
  });
  const { port } = await listening;
  const groups = ['system:open-cluster-management:c1'];
  const name = 'system:open-cluster-management:c1:agent';
  const clientCertificate = await issueCertificate(authority, { usage: 'client', name, groups }, realClock);
  const access = { server: `https://127.0.0.1:${port}`, ca: authority.certificate, clientCertificate, origin: 'spec' };
  const events$ = createCloudEventsClient({ access: staticAccess(access) });
  const agent = createKubeClient({ transport: createHubTransport({ client: events$, clusterName: 'c1' }) });

  const cluster = await agent.resource(managedClusters).create({ metadata: { name: 'c1' }, spec: {} });
  await agent.resource(managedClusters).patch('c1', {
    type: 'merge',
    body: { spec: { managedClusterClientConfigs: [{ url: 'https://c1:6443' }] } },
  });
  const current = await agent.resource(managedClusters).get(cluster.metadata?.name ?? '');
  await agent.resource(managedClusters).status.replace({ ...current, status: { version: { kubernetes: 'v1.36.0' } } });
  await agent.resource(certificateSigningRequests).create({
    metadata: { name: 'c1-abcde', labels: { [Label.ClusterName]: 'c1' } },
    spec: {
      request: await signingRequest(),
      signerName: 'open-cluster-management.io/grpc',
      usages: ['digital signature', 'client auth'],
    },
  });

  const lease = { name: 'managed-cluster-lease', namespace: 'c1', labels: { [Label.ClusterName]: 'c1' } };
  await admin.resource(leases).create({ metadata: lease, spec: { leaseDurationSeconds: 60 } });
  await expect.poll(() => agent.resource(leases).find('c1/managed-cluster-lease')).toBeDefined();
  const beat = await agent.resource(leases).get('c1/managed-cluster-lease');
  await agent.resource(leases).replace({ ...beat, spec: { ...beat.spec, renewTime: '2026-01-01T00:00:05.000000Z' } });

  await agent.resource(events).create({
    metadata: { name: 'joined', namespace: 'c1' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'agent',
    reportingInstance: 'agent',
    action: 'Join',
    reason: 'Joined',
    type: 'Normal',
    regarding: { kind: 'ManagedCluster', name: 'c1', namespace: 'c1' },
  });

  await admin.resource(managedClusterAddOns).create({ metadata: { name: 'a', namespace: 'c1' }, spec: {} });
  await expect.poll(() => agent.resource(managedClusterAddOns).find('c1/a')).toBeDefined();
  const addOn = await agent.resource(managedClusterAddOns).get('c1/a');
  await agent.resource(managedClusterAddOns).status.replace({ ...addOn, status: { namespace: 'x' } });

  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace: 'default' } };
  const workload = { manifests: [manifest] };
  await admin.resource(manifestWorks).create({ metadata: { name: 'w', namespace: 'c1' }, spec: { workload } });
  await expect.poll(() => agent.resource(manifestWorks).find('c1/w')).toBeDefined();
  const conditions = [
    { type: 'Applied', status: 'True', reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ] as const;
  await agent.resource(manifestWorks).status.patch('c1/w', { type: 'merge', body: { status: { conditions } } });
  await expect
    .poll(async () => (await admin.resource(manifestWorks).get('c1/w')).status?.conditions?.[0]?.type)
    .toBe('Applied');

  // The add-on manager grants the tokens of this account alone.
  const role = { namespace: 'c1', name: 'tokens-of-a' };
  await admin.resource(serviceAccounts).create({ metadata: { name: 'a-agent', namespace: 'c1' } });
  await admin.resource(roles).create({
    metadata: role,
    rules: [{ apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: ['a-agent'], verbs: ['create'] }],
  });
  await admin.resource(roleBindings).create({
    metadata: role,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: role.name },
    subjects: [{ kind: 'ServiceAccount', namespace: hubNamespace, name: 'grpc-server-sa' }],
  });
  const request = { metadata: {}, spec: { expirationSeconds: 3600 } };
  await agent.resource(serviceAccounts).createSubresource('token', 'c1/a-agent', request);

  expect(refused).toEqual([]);
  await agent.close();
  stop.abort();
  await running;
});
