import { klusterlets } from '@flotilla/api-types';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { findCondition } from '@flotilla/kube';
import { clusterRoleBindings, clusterRoles, deployments, secrets } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { kubeconfigOf, putSecret } from '../fixtures/kubeconfigs.ts';
import { type RunningOperator, startOperator } from '../fixtures/running-operator.ts';
import { agentReviews, bootstrapReviews, type Review } from './reviews.policy.ts';

const server = 'https://hub';
const hubKey = 'open-cluster-management-agent/hub-kubeconfig-secret';
const bootstrapKey = 'open-cluster-management-agent/bootstrap-hub-kubeconfig';

/** A hub that permits users just what they are asked about. */
async function startHub(operator: RunningOperator): Promise<ControlPlane> {
  const hub = await startControlPlane({ listen: false, clock: operator.clock });
  operator.servers.set(server, hub);
  const allow = async (name: string, reviews: readonly Review[]) => {
    const rules = reviews.map(({ group = '', resource = '', subresource, verb = '' }) => ({
      apiGroups: [group],
      resources: [subresource ? `${resource}/${subresource}` : resource],
      verbs: [verb],
    }));
    const apiGroup = 'rbac.authorization.k8s.io';
    await hub.client.resource(clusterRoles).create({ metadata: { name }, rules });
    await hub.client.resource(clusterRoleBindings).create({
      metadata: { name },
      roleRef: { apiGroup, kind: 'ClusterRole', name },
      subjects: [{ apiGroup, kind: 'User', name }],
    });
  };
  await allow('agent', agentReviews('cluster1', { isCsr: true }));
  await allow('bootstrap', bootstrapReviews());
  return hub;
}

const connection = async (operator: RunningOperator) => {
  const { status, reason, message } =
    findCondition((await operator.klusterlet()).status?.conditions, 'HubConnectionDegraded') ?? {};
  return { status, reason, message };
};

describe('the condition HubConnectionDegraded', () => {
  it('[cli D12] follows the Secrets from nothing to a working connection and back', async () => {
    await using operator = await startOperator();
    await using _hub = await startHub(operator);
    await operator.create();
    expect(await connection(operator)).toMatchObject({
      status: 'True',
      reason: 'BootstrapSecretMissing,HubKubeConfigSecretMissing',
    });
    await putSecret(operator, hubKey, { 'cluster-name': 'cluster1' });
    expect(await connection(operator)).toMatchObject({ reason: 'BootstrapSecretMissing,HubKubeConfigMissing' });
    await putSecret(operator, bootstrapKey, { kubeconfig: kubeconfigOf(server, 'bootstrap') });
    expect(await connection(operator)).toMatchObject({ reason: 'BootstrapSecretFunctional,HubKubeConfigMissing' });
    await putSecret(operator, hubKey, { kubeconfig: kubeconfigOf(server, 'agent') });
    expect(await connection(operator)).toMatchObject({ status: 'False', reason: 'HubConnectionFunctional' });
    await operator.plane.client.resource(secrets).delete(hubKey);
    await operator.quiet();
    expect(await connection(operator)).toMatchObject({
      status: 'True',
      reason: 'BootstrapSecretFunctional,HubKubeConfigSecretMissing',
    });
  });

  it('[cli D13] says what cannot be read, and what the hub refuses', async () => {
    await using operator = await startOperator();
    await using hub = await startHub(operator);
    await operator.create();
    await putSecret(operator, bootstrapKey, { kubeconfig: '{' });
    await putSecret(operator, hubKey, { kubeconfig: 'clusters: []' });
    expect(await connection(operator)).toMatchObject({ reason: 'BootstrapSecretError,HubKubeConfigError' });
    await putSecret(operator, bootstrapKey, { kubeconfig: kubeconfigOf(server, 'nobody') });
    await putSecret(operator, hubKey, { kubeconfig: kubeconfigOf(server, 'bootstrap') });
    const refused = await connection(operator);
    expect(refused.reason).toBe('BootstrapSecretUnauthorized,HubKubeConfigUnauthorized');
    expect(refused.message).toContain('update leases of coordination.k8s.io named managed-cluster-lease in cluster1');
    const apiGroup = 'rbac.authorization.k8s.io';
    await hub.client.resource(clusterRoleBindings).create({
      metadata: { name: 'late' },
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'agent' },
      subjects: [{ apiGroup, kind: 'User', name: 'bootstrap' }],
    });
    await operator.pass(31_000);
    expect(await connection(operator)).toMatchObject({ status: 'False', reason: 'HubConnectionFunctional' });
  });

  it('says that a hub does not answer, and looks again', async () => {
    await using operator = await startOperator();
    await operator.create();
    await putSecret(operator, bootstrapKey, { kubeconfig: kubeconfigOf(server, 'bootstrap') });
    expect(await connection(operator)).toMatchObject({
      reason: 'BootstrapSecretError,HubKubeConfigSecretMissing',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    await using _hub = await startHub(operator);
    await operator.pass(31_000);
    expect(await connection(operator)).toMatchObject({
      reason: 'BootstrapSecretFunctional,HubKubeConfigSecretMissing',
    });
  });

  it('is about all hubs of a klusterlet that has several, and follows their Secrets', async () => {
    await using operator = await startOperator();
    await using _hub = await startHub(operator);
    await operator.create({
      clusterName: 'cluster1',
      registrationConfiguration: {
        featureGates: [{ feature: 'MultipleHubs', mode: 'Enable' }],
        bootstrapKubeConfigs: {
          type: 'LocalSecrets',
          localSecretsConfig: { kubeConfigSecrets: [{ name: 'hub1' }, { name: 'hub2' }] },
        },
      },
    });
    expect(await connection(operator)).toMatchObject({
      status: 'True',
      reason: 'BootstrapSecretMissing,HubKubeConfigSecretMissing',
    });
    // The role that lets the operator read them is given to its service account; the user of this test gets it by hand.
    const apiGroup = 'rbac.authorization.k8s.io';
    const rules = [
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['hub1', 'hub2'], verbs: ['get', 'list', 'watch'] },
    ];
    await operator.plane.client.resource(clusterRoles).create({ metadata: { name: 'listed' }, rules });
    await operator.plane.client.resource(clusterRoleBindings).create({
      metadata: { name: 'listed' },
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'listed' },
      subjects: [{ apiGroup, kind: 'User', name: 'klusterlet-operator' }],
    });
    await operator.pass(60_000);
    await putSecret(operator, 'open-cluster-management-agent/hub2', { kubeconfig: kubeconfigOf(server, 'bootstrap') });
    expect(await connection(operator)).toMatchObject({
      reason: 'BootstrapSecretFunctional,HubKubeConfigSecretMissing',
    });
    await putSecret(operator, hubKey, { kubeconfig: kubeconfigOf(server, 'agent') });
    expect(await connection(operator)).toMatchObject({ status: 'False' });
  });

  it('is about credentials alone where the operator cannot act as the agents', async () => {
    await using operator = await startOperator();
    const registrationConfiguration = { registrationDriver: { authType: 'grpc' as const } };
    await operator.create({ clusterName: 'cluster1', registrationConfiguration });
    await putSecret(operator, bootstrapKey, { 'config.yaml': 'url: hub:443' });
    expect(await connection(operator)).toMatchObject({
      reason: 'BootstrapSecretFunctional,HubKubeConfigSecretMissing',
    });
    await putSecret(operator, hubKey, { 'config.yaml': 'url: hub:443' });
    expect(await connection(operator)).toMatchObject({ status: 'False' });
    await operator.plane.client.resource(klusterlets).delete('klusterlet');
    await operator.quiet();
  });

  it('names the key that a bootstrap Secret lacks for the driver', async () => {
    await using operator = await startOperator();
    await operator.create({
      clusterName: 'cluster1',
      registrationConfiguration: { registrationDriver: { authType: 'grpc' } },
    });
    await putSecret(operator, bootstrapKey, { 'cluster-name': 'cluster1' });
    const { message } = await connection(operator);
    expect(message).toContain(`Secret ${bootstrapKey} has no config.yaml`);
    expect(message).not.toContain('bootstrap-hub-kubeconfig does not exist');
  });

  const awsIrsa = {
    hubClusterArn: 'arn:aws:eks:us-west-2:123456789012:cluster/hub',
    managedClusterArn: 'arn:aws:eks:us-west-2:210987654321:cluster/spoke',
  };
  it.each([{ authType: 'csr' as const }, { authType: 'awsirsa' as const, awsIrsa }])(
    'is about the agents that run by $authType, while a switch to gRPC lacks where the server is',
    async (driver) => {
      await using operator = await startOperator();
      await using _hub = await startHub(operator);
      await operator.create({ clusterName: 'cluster1', registrationConfiguration: { registrationDriver: driver } });
      await putSecret(operator, bootstrapKey, { kubeconfig: kubeconfigOf(server, 'bootstrap') });
      await putSecret(operator, hubKey, { kubeconfig: kubeconfigOf(server, 'agent'), 'cluster-name': 'cluster1' });
      const agent = () =>
        operator.plane.client.resource(deployments).get('open-cluster-management-agent/klusterlet-registration-agent');
      const applied = async () => findCondition((await operator.klusterlet()).status?.conditions, 'Applied');
      const before = await agent();
      const spec = { registrationConfiguration: { registrationDriver: { authType: 'grpc', awsIrsa: null } } };
      await operator.plane.client.resource(klusterlets).patch('klusterlet', { type: 'merge', body: { spec } });
      await operator.quiet();
      expect((await agent()).spec).toEqual(before.spec);
      expect(await connection(operator)).toMatchObject({ status: 'False', reason: 'HubConnectionFunctional' });
      expect(await applied()).toMatchObject({
        status: 'False',
        reason: 'KlusterletApplyFailed',
        message: expect.stringMatching(/authType is "grpc", and Secret .* has no config\.yaml .*Join again/),
      });
      await putSecret(operator, bootstrapKey, { 'config.yaml': 'url: hub:443' });
      await operator.quiet();
      expect(await applied()).toMatchObject({ status: 'True' });
      expect((await agent()).spec?.template.spec?.containers[0]?.args).toContain('--registration-auth=grpc');
    },
  );
});
