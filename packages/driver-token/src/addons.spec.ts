import { type ManagedClusterAddOn, managedClusterAddOns } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import { namespaces, secrets, serviceAccounts } from '@flotilla/kube/kinds';
import { startTestFleet, type TestFleet } from '@flotilla/registration-core/testing';
import { describe, expect, it } from 'vitest';
import { joined, lifeMs, makeServiceAccount, tokenFleet } from './fixtures/fleet.ts';
import { readToken } from './token.ts';

const namespace = 'open-cluster-management-agent-addon';
const addons = ({ hub }: TestFleet) => hub.client.resource(managedClusterAddOns);
const condition = async (fleet: TestFleet, type: string) =>
  findCondition((await addons(fleet).get('c1/work')).status?.conditions, type);
const createNamespace = ({ spoke }: TestFleet) =>
  spoke.client.resource(namespaces).create({ metadata: { name: namespace } });

async function register(
  fleet: TestFleet,
  registrations: NonNullable<ManagedClusterAddOn['status']>['registrations'] = [
    { type: 'kubeClient', kubeClient: { subject: { user: 'declared', groups: ['declared'] } } },
  ],
): Promise<void> {
  await addons(fleet).create({ metadata: { name: 'work', namespace: 'c1' }, spec: {} });
  await addons(fleet).status.patch('c1/work', { type: 'merge', body: { status: { registrations } } });
}

const stored = async ({ spoke }: TestFleet): Promise<Record<string, string>> => {
  const secret = await spoke.client.resource(secrets).find(`${namespace}/work-hub-kubeconfig`);
  const entries = Object.entries(secret?.data ?? {});
  return Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
};
const token = (fleet: TestFleet): Promise<string> =>
  fleet.eventually(async () => {
    await makeServiceAccount(fleet);
    const { token: found = '' } = await stored(fleet);
    expect(found).not.toBe('');
    return found;
  });

describe('an add-on that registers by token', () => {
  it('[registration-agent 19.9-91] [addons 119] gets a Secret with a token when its namespace exists, and loses it with the add-on', async () => {
    await using fleet = await startTestFleet(tokenFleet);
    await joined(fleet);
    await register(fleet);
    await fleet.eventually(async () => {
      const { status } = await addons(fleet).get('c1/work');
      const kubeClient = { driver: 'token', subject: { user: 'system:serviceaccount:c1:work-agent' } };
      expect(status?.registrations).toEqual([{ type: 'kubeClient', kubeClient }]);
    });
    await makeServiceAccount(fleet);
    await fleet.clock.advance(60_000);
    expect(await stored(fleet)).toEqual({});
    await createNamespace(fleet);
    const given = await token(fleet);
    const { kubeconfig, ...others } = await stored(fleet);
    expect(others).toEqual({ 'cluster-name': 'c1', token: given });
    expect(kubeconfig).toContain('tokenFile: token\n');
    expect(kubeconfig).toContain('server: https://hub.example:6443\n');
    await fleet.eventually(async () =>
      expect(await condition(fleet, 'TokenRefreshed')).toMatchObject({
        status: 'True',
        reason: 'AddonTokenRefreshed',
        message: expect.stringMatching(/^Addon token refreshed, expires at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      }),
    );
    await addons(fleet).delete('c1/work');
    await fleet.eventually(async () => expect(await stored(fleet)).toEqual({}));
  });

  it('waits for its service account without a request, and says so in no condition', async () => {
    await using fleet = await startTestFleet(tokenFleet);
    await joined(fleet);
    await createNamespace(fleet);
    await register(fleet);
    fleet.network.refusals.length = 0;
    await fleet.clock.advance(10 * 60_000);
    expect([await stored(fleet), fleet.network.refusals]).toEqual([{}, []]);
    expect(await condition(fleet, 'TokenRefreshed')).toBeUndefined();
  });

  it('gets another token before the first one ends', async () => {
    await using fleet = await startTestFleet(tokenFleet);
    await joined(fleet);
    await createNamespace(fleet);
    await register(fleet);
    const first = await token(fleet);
    await fleet.pass(0.75 * lifeMs);
    expect(await token(fleet)).toBe(first);
    await fleet.pass(0.06 * lifeMs);
    expect(await token(fleet)).not.toBe(first);
  });

  it('[registration-agent 19.9-92] [addons 118] gets another token when its service account is created anew', async () => {
    await using fleet = await startTestFleet(tokenFleet);
    await joined(fleet);
    await createNamespace(fleet);
    await register(fleet);
    const first = await token(fleet);
    await fleet.hub.client.resource(serviceAccounts).delete('c1/work-agent');
    await makeServiceAccount(fleet);
    await fleet.eventually(async () => expect(await token(fleet)).not.toBe(first));
    expect(readToken(await token(fleet)).serviceAccountUid).not.toBe(readToken(first).serviceAccountUid);
  });

  it('is told why there is no token, and gets one when the hub permits it', async () => {
    await using fleet = await startTestFleet(tokenFleet);
    await joined(fleet);
    await createNamespace(fleet);
    await register(fleet);
    const wait = async () => {
      const { status } = await addons(fleet).get('c1/work');
      expect(status?.registrations?.[0]?.kubeClient?.driver).toBe('token');
    };
    await fleet.eventually(wait);
    const conditions = [
      {
        type: 'TokenInfrastructureReady',
        status: 'True' as const,
        reason: 'TokenInfrastructureReady',
        message: 'ServiceAccount c1/work-agent (UID: not-there) is ready',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ];
    await addons(fleet).status.patch('c1/work', { type: 'merge', body: { status: { conditions } } });
    await fleet.eventually(async () =>
      expect(await condition(fleet, 'TokenRefreshed')).toMatchObject({
        status: 'False',
        reason: 'TokenCreationFailed',
        message: expect.stringContaining(
          'Failed to create token: failed to create token for ServiceAccount c1/work-agent: ',
        ),
      }),
    );
    await token(fleet);
    await fleet.eventually(async () => expect((await condition(fleet, 'TokenRefreshed'))?.status).toBe('True'));
  });
});
