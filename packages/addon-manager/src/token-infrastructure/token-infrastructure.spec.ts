import type { AddOnRegistration } from '@flotilla/api-types';
import { roleBindings, roles, serviceAccounts } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { hubOf } from '../fixtures/hub.ts';
import { type RunningManager, startManager } from '../fixtures/running-manager.ts';
import { registersByToken } from './token-infrastructure.policy.ts';

const token: AddOnRegistration = { type: 'kubeClient', kubeClient: { driver: 'token' } };
const csr: AddOnRegistration = { type: 'kubeClient', kubeClient: { driver: 'csr' } };
const custom: AddOnRegistration = { type: 'customSigner', customSigner: { signerName: 'example.com/s' } };
const labels = {
  'addon.open-cluster-management.io/token-infrastructure': 'true',
  'addon.open-cluster-management.io/name': 'hello',
};

const objects = async ({ plane: { client } }: RunningManager) =>
  (
    await Promise.all([
      client.resource(serviceAccounts).find('c0/hello-agent'),
      client.resource(roles).find('c0/hello-token-role'),
      client.resource(roleBindings).find('c0/hello-token-role'),
    ])
  ).filter((object) => object !== undefined);

const start = async () => {
  const manager = await startManager(['c0']);
  const hub = hubOf(manager);
  await hub.mcas.create({ metadata: { namespace: 'c0', name: 'hello' }, spec: {} });
  const register = (...registrations: AddOnRegistration[]) => hub.changeAddOnStatus('c0', { registrations });
  return { manager, hub, register };
};

describe('an add-on that registers by token', () => {
  it.each([
    ['none', [], false],
    ['a certificate', [csr], false],
    ['a token', [token], true],
    ['a token beside a custom signer', [custom, token], true],
    ['no client', [{ type: 'kubeClient' as const }], false],
  ])('[addons 117] is told by its registrations: %s', (_, registrations, expected) => {
    expect(registersByToken({ metadata: {}, spec: {}, status: { registrations } })).toBe(expected);
  });

  it('[addons 117] has an account whose tokens the agents of its cluster may request', async () => {
    const { manager, hub, register } = await start();
    await using _ = manager;
    await register(custom, token);
    const [account, role, binding] = await objects(manager);
    expect(account?.metadata?.labels).toEqual(labels);
    expect(role).toMatchObject({
      metadata: { labels },
      rules: [
        { apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: ['hello-agent'], verbs: ['create'] },
        { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['subscribe'] },
      ],
    });
    expect(binding).toMatchObject({
      metadata: { labels },
      roleRef: { kind: 'Role', name: 'hello-token-role' },
      subjects: [
        { kind: 'Group', name: 'system:open-cluster-management:c0' },
        { kind: 'Group', name: 'open-cluster-management:c0' },
        // It may request the tokens of add-ons, and of no other account of the hub.
        { kind: 'ServiceAccount', namespace: 'open-cluster-management-hub', name: 'grpc-server-sa' },
      ],
    });
    expect(await hub.conditionOf('c0', 'TokenInfrastructureReady')).toBe(
      `True TokenInfrastructureReady: ServiceAccount c0/hello-agent (UID: ${account?.metadata?.uid}) is ready`,
    );
    manager.takeWrites();
    await manager.restart();
    expect(manager.takeWrites()).toEqual([]);
  });

  it('[addons 117] gets back what somebody deletes or changes, and agents see the new account', async () => {
    const { manager, hub, register } = await start();
    await using _ = manager;
    await register(token);
    const { client } = manager.plane;
    await client.resource(serviceAccounts).delete('c0/hello-agent');
    await client.resource(roles).patch('c0/hello-token-role', { type: 'merge', body: { rules: [] } });
    await client.resource(roleBindings).delete('c0/hello-token-role');
    await manager.quiet();
    const [account, role] = await objects(manager);
    expect(await objects(manager)).toHaveLength(3);
    expect(role).toHaveProperty('rules.length', 2);
    expect(await hub.conditionOf('c0', 'TokenInfrastructureReady')).toContain(`(UID: ${account?.metadata?.uid})`);
  });

  it('[addons 117] loses all of it when it registers by certificate', async () => {
    const { manager, hub, register } = await start();
    await using _ = manager;
    await register(token);
    await register(csr);
    expect(await objects(manager)).toEqual([]);
    expect(await hub.conditionOf('c0', 'TokenInfrastructureReady')).toBeUndefined();
  });

  it.each([
    ['deleted', []],
    ['waiting for a hook', ['example.com/hook']],
  ])('[addons 117] loses all of it when it is %s', async (_, finalizers) => {
    const { manager, hub, register } = await start();
    await using _manager = manager;
    await register(token);
    await hub.changeAddOn('c0', { metadata: { finalizers } });
    await hub.mcas.delete('c0/hello');
    await manager.quiet();
    expect(await objects(manager)).toEqual([]);
  });

  it('[addons 117] loses it also when it was deleted while no manager ran', async () => {
    const { manager, hub, register } = await start();
    await using _ = manager;
    await register(token);
    manager.killAfter(0);
    await hub.mcas.delete('c0/hello');
    await manager.quiet();
    expect(await objects(manager)).toHaveLength(3);
    await manager.restart();
    expect(await objects(manager)).toEqual([]);
  });

  it('says what could not be made, and makes it when that is possible', async () => {
    const { manager, hub, register } = await start();
    await using _ = manager;
    manager.refuse('rolebindings');
    await register(token);
    expect(await hub.conditionOf('c0', 'TokenInfrastructureReady')).toMatch(
      /^False TokenInfrastructureApplyFailed: Failed to apply token infrastructure: .*rolebindings.*refused by the test/,
    );
    manager.refuse(undefined);
    await manager.pass(1000);
    expect(await hub.conditionOf('c0', 'TokenInfrastructureReady')).toContain('True TokenInfrastructureReady');
  });

  it.each([
    ['an account', serviceAccounts, { name: 'hello-agent', labels: { mine: 'x' } }, {}],
    ['a role', roles, { name: 'hello-token-role', labels: {} }, { rules: [] }],
    [
      'an account that is labelled for another add-on',
      serviceAccounts,
      { name: 'hello-agent', labels: { ...labels, 'addon.open-cluster-management.io/name': 'other' } },
      {},
    ],
  ])('does not take %s of that name that was not made for it, and leaves it', async (_, resource, named, content) => {
    const { manager, hub, register } = await start();
    await using _manager = manager;
    const foreign = manager.plane.client.resource<KubeObject>(resource);
    const made = await foreign.create({ metadata: { namespace: 'c0', ...named }, ...content });
    await register(token);
    const found = () => foreign.get(`c0/${named.name}`);
    expect(await found()).toEqual(made);
    expect(await hub.conditionOf('c0', 'TokenInfrastructureReady')).toBe(
      `False TokenInfrastructureApplyFailed: Failed to apply token infrastructure: AlreadyExists: ${resource.kind} c0/${named.name} is there and ` +
        'was not made for this add-on; delete or rename it, or hand it to the add-on with the labels ' +
        'addon.open-cluster-management.io/token-infrastructure=true and addon.open-cluster-management.io/name=hello',
    );
    await register(csr);
    expect(await found()).toEqual(made);
    await register(token);
    await foreign.delete(`c0/${named.name}`);
    await manager.pass(10_000);
    expect(await hub.conditionOf('c0', 'TokenInfrastructureReady')).toContain('True TokenInfrastructureReady');
  });

  it('takes over an account that OCM made for it, with the labels of others', async () => {
    const { manager, register } = await start();
    await using _ = manager;
    manager.killAfter(0);
    await manager.plane.client
      .resource(serviceAccounts)
      .create({ metadata: { namespace: 'c0', name: 'hello-agent', labels: { ...labels, mine: 'x' } } });
    await register(token);
    await manager.restart();
    const [account, ...rights] = await objects(manager);
    expect(account?.metadata?.labels).toEqual({ ...labels, mine: 'x' });
    expect(rights).toHaveLength(2);
    await register(csr);
    expect(await objects(manager)).toEqual([]);
  });
});
