import { klusterlets } from '@flotilla/api-types';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { findCondition } from '@flotilla/kube';
import {
  clusterRoleBindings,
  clusterRoles,
  customResourceDefinitions,
  deployments,
  namespaces,
  roles,
  secrets,
  serviceAccounts,
} from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { deploymentNames, rollOut } from '../fixtures/agents.ts';
import { entryOf, kubeconfigOf, putSecret } from '../fixtures/kubeconfigs.ts';
import { type RunningOperator, startOperator } from '../fixtures/running-operator.ts';
import { renewalTime } from './agent-kubeconfig.policy.ts';

const name = 'hosted1';
const server = 'https://managed';
const spec = (mode = 'Hosted') => ({
  clusterName: 'c1',
  namespace: 'open-cluster-management-hosted1',
  deployOption: { mode },
});
const hourMs = 3_600_000;

/** A second cluster, for the agents to manage. */
async function startManaged(operator: RunningOperator): Promise<ControlPlane> {
  const managed = await startControlPlane({ listen: false, clock: operator.clock });
  operator.servers.set(server, managed);
  return managed;
}

const conditionOf = async (operator: RunningOperator, type: string) =>
  findCondition((await operator.klusterlet(name)).status?.conditions, type);

const giveAccess = (operator: RunningOperator) =>
  putSecret(operator, `${name}/external-managed-kubeconfig`, { kubeconfig: kubeconfigOf(server) });

describe('a hosted klusterlet', () => {
  it('[cli D03] has its rights on the managed cluster, and its agents on the management cluster', async () => {
    await using operator = await startOperator();
    await using managed = await startManaged(operator);
    await operator.create(spec(), name);
    await giveAccess(operator);
    const { status, metadata } = await operator.klusterlet(name);
    expect(findCondition(status?.conditions, 'Applied')).toMatchObject({ status: 'True' });
    expect(status?.relatedResources).toHaveLength(26);
    expect(metadata?.finalizers).toContain('operator.open-cluster-management.io/klusterlet-hosted-cleanup');
    expect(await deploymentNames(operator)).toEqual([
      `${name}/${name}-registration-agent`,
      `${name}/${name}-work-agent`,
    ]);
    const there = managed.client;
    expect((await there.resource(deployments).list()).items).toEqual([]);
    expect(
      await there.resource(customResourceDefinitions).find('clusterclaims.cluster.open-cluster-management.io'),
    ).toBeDefined();
    expect(await there.resource(clusterRoleBindings).find(`open-cluster-management:${name}-work:agent`)).toBeDefined();
    expect(await there.resource(namespaces).find('open-cluster-management-agent-addon')).toBeDefined();
    expect(await there.resource(serviceAccounts).find(`open-cluster-management-hosted1/${name}-work-sa`)).toBeDefined();
    const here = operator.plane.client;
    expect(
      await here.resource(roles).find(`${name}/open-cluster-management:management:${name}-work:agent`),
    ).toBeDefined();
    expect(await here.resource(clusterRoles).find(`open-cluster-management:${name}-work:agent`)).toBeUndefined();
    for (const agent of ['registration', 'work']) {
      const key = `${name}/external-managed-kubeconfig-${agent}`;
      expect(await entryOf(operator, key, 'kubeconfig')).toContain('tokenFile: /spoke/config/token');
      expect(await entryOf(operator, key, 'serviceaccount_name')).toBe(`${name}-${agent}-sa`);
    }
  });

  it('[cli D04] waits for the kubeconfig of its cluster, and goes without it', async () => {
    await using operator = await startOperator();
    await operator.create(spec(), name);
    expect(await conditionOf(operator, 'ReadyToApply')).toMatchObject({
      status: 'False',
      reason: 'KlusterletPrepareFailed',
      message: expect.stringContaining('Secret hosted1/external-managed-kubeconfig does not exist'),
    });
    const handle = operator.plane.client.resource(namespaces);
    expect(await handle.find(name)).toBeDefined();
    await operator.plane.client.resource(klusterlets).delete(name);
    await operator.quiet();
    expect(await operator.plane.client.resource(klusterlets).find(name)).toBeUndefined();
    expect(await handle.find(name)).toBeUndefined();
  });

  it('says what is wrong with the kubeconfig, and follows the next one', async () => {
    await using operator = await startOperator();
    await using _managed = await startManaged(operator);
    await operator.create(spec(), name);
    await putSecret(operator, `${name}/external-managed-kubeconfig`, { kubeconfig: '{' });
    expect(await conditionOf(operator, 'ReadyToApply')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('not YAML'),
    });
    await giveAccess(operator);
    expect(await conditionOf(operator, 'ReadyToApply')).toMatchObject({ status: 'True', reason: 'KlusterletPrepared' });
  });

  it('heals what others change on the managed cluster', async () => {
    await using operator = await startOperator();
    await using managed = await startManaged(operator);
    await operator.create(spec(), name);
    await giveAccess(operator);
    const handle = managed.client.resource(clusterRoles);
    await handle.delete(`open-cluster-management:${name}-work:agent`);
    await operator.quiet();
    expect(await handle.find(`open-cluster-management:${name}-work:agent`)).toBeDefined();
    operator.takeWrites();
    await operator.restart();
    expect(operator.takeWrites()).toEqual([]);
  });

  it('renews the tokens of its agents in time, and makes those that somebody deletes again', async () => {
    await using operator = await startOperator();
    await using _managed = await startManaged(operator);
    await operator.create(spec('SingletonHosted'), name);
    await giveAccess(operator);
    const key = `${name}/external-managed-kubeconfig-agent`;
    const first = await entryOf(operator, key, 'token');
    const expiration = new Date(operator.clock.now() + 10 * 60_000).toISOString();
    const data = { expiration: Buffer.from(expiration).toString('base64') };
    await operator.plane.client.resource(secrets).patch(key, { type: 'merge', body: { data } });
    await operator.quiet();
    await operator.pass(7 * 60_000);
    expect(await entryOf(operator, key, 'token')).toBe(first);
    await operator.pass(2 * 60_000);
    const second = await entryOf(operator, key, 'token');
    expect(second).not.toBe(first);
    await operator.plane.client.resource(secrets).delete(key);
    await operator.quiet();
    expect(await entryOf(operator, key, 'token')).toEqual(expect.any(String));
  });

  it('switches between two agents and one', async () => {
    await using operator = await startOperator();
    await using _managed = await startManaged(operator);
    await operator.create(spec(), name);
    await giveAccess(operator);
    await rollOut(operator);
    await operator.plane.client
      .resource(klusterlets)
      .patch(name, { type: 'merge', body: { spec: { deployOption: { mode: 'SingletonHosted' } } } });
    await operator.quiet();
    await rollOut(operator);
    expect(await deploymentNames(operator)).toEqual([`${name}/${name}-agent`]);
  });
});

describe('the token of a hosted agent', () => {
  const access = { server, origin: 'test' };
  const account = { metadata: { namespace: 'ns', name: 'sa', uid: 'u1' } };

  it('is renewed at once if it is missing, of another account, or of another server', () => {
    expect(renewalTime(undefined, { access, account })).toBe(0);
    expect(renewalTime({ data: {} }, { access, account })).toBe(0);
  });

  it.each([
    ['a long one when OCM does, 72 days before its end', 8640, 8640 - 1728],
    ['a short one when a fifth of its life is left', 10, 8],
  ])('is renewed: %s', async (_, lifeHours, expectedHours) => {
    const { agentSecretData } = await import('./agent-kubeconfig.policy.ts');
    const claims = Buffer.from(JSON.stringify({ iat: 0 })).toString('base64url');
    const texts = agentSecretData(
      { access, account },
      { token: `h.${claims}.s`, expirationTimestamp: new Date(lifeHours * hourMs).toISOString() },
      0,
    );
    const data = Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
    );
    expect(renewalTime({ data }, { access, account })).toBe(expectedHours * hourMs);
    expect(renewalTime({ data }, { access: { ...access, server: 'https://other' }, account })).toBe(0);
  });

  it.each(['1970-01-01T00:00:00Z', 'never'])(
    'is asked for once a minute at most, if the managed cluster says that it ends at %s',
    async (expirationTimestamp) => {
      const { agentSecretData } = await import('./agent-kubeconfig.policy.ts');
      const texts = agentSecretData({ access, account }, { token: 'h.e30.s', expirationTimestamp }, hourMs);
      const data = Object.fromEntries(
        Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
      );
      expect(renewalTime({ data }, { access, account })).toBe(hourMs + 60_000);
      const another = { metadata: { ...account.metadata, uid: 'another' } };
      expect(renewalTime({ data }, { access, account: another })).toBe(hourMs + 60_000);
    },
  );
});
