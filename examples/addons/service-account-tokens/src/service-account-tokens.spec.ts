import { type Fleet, startFleet } from '@flotilla/fleet';
import { createInformers, isConditionTrue, type KubeClient, realClock, runControllers } from '@flotilla/kube';
import { secrets, serviceAccounts, tokenReviews } from '@flotilla/kube/kinds';
import { customResourceDefinitionResource } from '@flotilla/schema/define';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceAccountTokens } from './addon.ts';
import { tokenController } from './agent/token.controller.ts';
import { definitions, projectedServiceAccounts } from './projected-service-account.ts';

const namespace = 'open-cluster-management-agent-addon';

let fleet: Fleet;
const end = new AsyncDisposableStack();
beforeAll(async () => {
  fleet = end.use(await startFleet({ addons: [serviceAccountTokens] }));
  for (const definition of definitions) await fleet.hub.resource(customResourceDefinitionResource).create(definition);
  await fleet.enable('service-account-tokens');
  await runAgent(await fleet.agentHub('service-account-tokens', 'cluster1'));
});
afterAll(() => end.disposeAsync());

async function runAgent(client: KubeClient): Promise<void> {
  const hub = createInformers({ client, clock: realClock });
  const stop = new AbortController();
  const managed = fleet.managed('cluster1');
  const deps = { hub, clusterName: 'cluster1', managed, namespace, clock: realClock };
  const running = runControllers([tokenController(deps)], { signal: stop.signal, clock: realClock });
  end.defer(async () => {
    stop.abort();
    await running;
    hub.close();
  });
}

describe('service-account-tokens', () => {
  const key = 'cluster1/deployer';

  it('gives the hub a token of a service account, with which the cluster knows that account', async () => {
    const projected = fleet.hub.resource(projectedServiceAccounts);
    await projected.create({ metadata: { namespace: 'cluster1', name: 'deployer' }, spec: { validitySeconds: 600 } });
    await fleet.until(projected, key, ({ status }) => isConditionTrue(status?.conditions, 'TokenReported'));
    const { data } = await fleet.hub.resource(secrets).get(key);
    const token = Buffer.from(data?.token ?? '', 'base64').toString();
    const review = await fleet.managed('cluster1').resource(tokenReviews).create({ spec: { token } });
    expect(review.status).toMatchObject({
      authenticated: true,
      user: { username: `system:serviceaccount:${namespace}:deployer` },
    });
  });

  it('makes another token when the Secret is deleted', async () => {
    const handle = fleet.hub.resource(secrets);
    const { metadata } = await handle.get(key);
    await handle.delete(key);
    await fleet.until(handle, key, (secret) => secret.metadata?.uid !== metadata?.uid);
  });

  it('does not put a token into a Secret of another owner', async () => {
    const handle = fleet.hub.resource(secrets);
    const mine = { metadata: { namespace: 'cluster1', name: 'taken' }, data: { mine: 'eA==' } };
    await handle.create(mine);
    const projected = fleet.hub.resource(projectedServiceAccounts);
    await projected.create({ metadata: { namespace: 'cluster1', name: 'taken' }, spec: {} });
    await fleet.until(projected, 'cluster1/taken', ({ status }) =>
      (status?.conditions ?? []).some((condition) => condition.message.includes('rename one of them')),
    );
    expect(await handle.get('cluster1/taken')).toMatchObject({ data: mine.data });
  });

  it('says again that there is a token when the status was lost', async () => {
    const projected = fleet.hub.resource(projectedServiceAccounts);
    await projected.status.patch(key, { type: 'merge', body: { status: { conditions: [] } } });
    await fleet.until(projected, key, ({ status }) => isConditionTrue(status?.conditions, 'TokenReported'));
  });

  it('gives away no token of a service account that it did not make, and does not delete it', async () => {
    const accounts = fleet.managed('cluster1').resource(serviceAccounts);
    const other = await accounts.create({ metadata: { namespace, name: 'other' } });
    const projected = fleet.hub.resource(projectedServiceAccounts);
    await projected.create({ metadata: { namespace: 'cluster1', name: 'other' }, spec: {} });
    await fleet.until(projected, 'cluster1/other', ({ status }) =>
      (status?.conditions ?? []).some(
        ({ status, reason, message }) =>
          status === 'False' && reason === 'ServiceAccountExists' && message.includes('rename one of them'),
      ),
    );
    expect(await fleet.hub.resource(secrets).find('cluster1/other')).toBeUndefined();
    await projected.delete('cluster1/other');
    await expect.poll(() => projected.find('cluster1/other')).toBeUndefined();
    expect(await accounts.get(`${namespace}/other`)).toMatchObject({ metadata: { uid: other.metadata?.uid } });
  });

  it('removes the service account, and with it all its tokens, when it is no longer wanted', async () => {
    await fleet.hub.resource(projectedServiceAccounts).delete(key);
    const accounts = fleet.managed('cluster1').resource(serviceAccounts);
    await expect.poll(() => accounts.find(`${namespace}/deployer`)).toBeUndefined();
    await expect.poll(() => fleet.hub.resource(secrets).find(key)).toBeUndefined();
  });
});
