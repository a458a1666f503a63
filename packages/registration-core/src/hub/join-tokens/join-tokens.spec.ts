import { Label } from '@flotilla/api-types';
import { ownerReferenceTo } from '@flotilla/kube';
import {
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  namespaces,
  secrets,
  setApproval,
} from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';
import { afterEach, describe, expect, it } from 'vitest';
import { createCertificateRequest, createKey } from '../../certificates/index.ts';
import { type JoinToken, joinTokenKey, joinTokenRecord, joinTokenRole, readJoinToken } from '../../contract/index.ts';
import { handlesOf, newCluster, type RunningHub, startHub } from '../fixtures/running-hub.ts';
import { collectMs, endOf, isToPlace, newUses } from './join-tokens.policy.ts';

let hub: RunningHub | undefined;
afterEach(async () => {
  await hub?.stop();
  hub = undefined;
});

const secretKey = 'kube-system/bootstrap-token-abcdef';

/** A token with its role and record, as `flotilla token create` makes them. */
async function createToken({ plane: { client } }: RunningHub, token: Partial<JoinToken>): Promise<void> {
  const name = joinTokenRole('abcdef');
  const role = await client.resource(clusterRoles).create({ metadata: { name }, rules: [] });
  const ownerReferences = [ownerReferenceTo(clusterRoles, role)];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  await client.resource(clusterRoleBindings).create({ metadata: { name, ownerReferences }, roleRef, subjects: [] });
  await client.resource(namespaces).create({ metadata: { name: 'open-cluster-management-hub' } });
  const record = joinTokenRecord({ id: 'abcdef', ...token });
  await client.resource(configMaps).create({ ...record, metadata: { ...record.metadata, ownerReferences } });
  await client
    .resource(secrets)
    .create({ metadata: { namespace: 'kube-system', name: 'bootstrap-token-abcdef', ownerReferences } });
}

/** A request that got a certificate. */
async function issue({ plane: { client } }: RunningHub, name: string, username: string): Promise<void> {
  const handle = client.resource(certificateSigningRequests);
  const asUser = hub?.plane
    .clientOf({ name: username, groups: ['system:masters'] })
    .resource(certificateSigningRequests);
  const pem = await createCertificateRequest(createKey(), {
    user: name,
    groups: [],
    organizationUnits: [],
    dnsNames: [],
  });
  const request = Buffer.from(pem).toString('base64');
  const created = await asUser?.create({
    metadata: { name },
    spec: { request, signerName: 'example.com/any', usages: ['client auth'] },
  });
  const certificate = Buffer.from('-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n').toString('base64');
  if (!created) return;
  const approval = { type: 'Approved', reason: 'Test', message: '' } as const;
  const approved = await setApproval(client, created, approval, { now: hub?.clock.now() ?? 0 });
  await handle.status.replace({ ...approved, status: { ...approved.status, certificate } });
}

const record = async (running: RunningHub) =>
  readJoinToken((await running.plane.client.resource(configMaps).find(joinTokenKey('abcdef'))) ?? {});
const tokenOf = ({ plane }: RunningHub) => plane.client.resource(secrets).find(secretKey);

describe('a join token on the hub', () => {
  it('is gone, with its rights, when it was used as often as it may be', async () => {
    hub = await startHub();
    await createToken(hub, { maxUses: 2 });
    await issue(hub, 'of-another', 'system:bootstrap:zzzzzz');
    await issue(hub, 'first', 'system:bootstrap:abcdef');
    await hub.quiet();
    expect((await record(hub))?.uses).toHaveLength(1);
    // The request is cleaned up after an hour, and the count is not.
    await hub.plane.client.resource(certificateSigningRequests).delete('first');
    await hub.restart();
    expect([(await record(hub))?.uses.length, (await tokenOf(hub)) !== undefined]).toEqual([1, true]);
    await issue(hub, 'second', 'system:bootstrap:abcdef');
    await hub.quiet();
    // An agent that was cut off in that moment still reads its certificate.
    expect(await tokenOf(hub)).toBeDefined();
    await hub.pass(collectMs);
    expect(await hub.plane.client.resource(clusterRoleBindings).find(joinTokenRole('abcdef'))).toBeUndefined();
    expect([await record(hub), await tokenOf(hub)]).toEqual([undefined, undefined]);
  });

  it('is gone when it was used up and its cluster has joined since', async () => {
    hub = await startHub();
    const { clusters } = handlesOf(hub);
    await clusters.create(newCluster('a'));
    const join = (lastTransitionTime: string) => {
      const condition = {
        type: 'ManagedClusterJoined',
        status: 'True',
        reason: 'Test',
        message: '',
        lastTransitionTime,
      };
      return clusters.status.patch('a', { type: 'merge', body: { status: { conditions: [condition] } } });
    };
    // It joined before by another token.
    await join(formatTime(hub.clock.now() - 3_600_000));
    await createToken(hub, { clusterName: 'a', maxUses: 1 });
    await issue(hub, 'first', 'system:bootstrap:abcdef');
    await hub.quiet();
    expect((await record(hub))?.uses).toHaveLength(1);
    await join(formatTime(hub.clock.now()));
    await hub.quiet();
    expect([await record(hub), await tokenOf(hub)]).toEqual([undefined, undefined]);
  });

  it('is gone, with its rights, when it ends', async () => {
    hub = await startHub();
    await createToken(hub, { clusterName: 'a', expiresAt: hub.clock.now() + 60_000 });
    await hub.pass(59_000);
    expect(await tokenOf(hub)).toBeDefined();
    await hub.pass(1000);
    expect([await record(hub), await tokenOf(hub)]).toEqual([undefined, undefined]);
    hub.takeWrites();
    await hub.restart();
    expect(hub.takeWrites()).toEqual([]);
  });

  it('puts its cluster into its set, once, and no other cluster', async () => {
    hub = await startHub();
    const { clusters } = handlesOf(hub);
    await createToken(hub, { clusterName: 'a', clusterSet: 'edge' });
    for (const name of ['a', 'b']) {
      await clusters.create(newCluster(name, { metadata: { labels: { [Label.ClusterSet]: 'default' } } }));
    }
    await hub.quiet();
    const setOf = async (name: string) => (await clusters.get(name)).metadata?.labels?.[Label.ClusterSet];
    expect([await setOf('a'), await setOf('b')]).toEqual(['edge', 'default']);
    // An administrator has the last word.
    await clusters.patch('a', { type: 'merge', body: { metadata: { labels: { [Label.ClusterSet]: 'default' } } } });
    await hub.quiet();
    expect(await setOf('a')).toBe('default');
  });

  it('leaves the set of a cluster that was there before it', async () => {
    hub = await startHub();
    const { clusters } = handlesOf(hub);
    await clusters.create(newCluster('a'));
    await hub.pass(5000);
    await createToken(hub, { clusterName: 'a', clusterSet: 'edge' });
    await hub.quiet();
    expect((await clusters.get('a')).metadata?.labels?.[Label.ClusterSet]).not.toBe('edge');
  });
});

describe('the policy of join tokens', () => {
  const base = { id: 'abcdef', uses: [], approved: [] };
  it('counts only requests that got a certificate, and each once', () => {
    const request = (uid: string, certificate?: string) => ({
      metadata: { uid },
      spec: { request: '', signerName: '' },
      ...(certificate && { status: { certificate } }),
    });
    expect(newUses({ ...base, uses: ['1'] }, [request('1', 'x'), request('2')])).toBeUndefined();
    expect(newUses({ ...base, uses: ['1'] }, [request('1', 'x'), request('2', 'x')])).toEqual(['1', '2']);
  });

  it('ends a token that has expired or is used up', () => {
    expect(endOf({ ...base, maxUses: 1 }, 0)).toBeUndefined();
    expect(endOf({ ...base, maxUses: 1, uses: ['1'] }, 0)).toBe('it was used 1 of 1 times');
    expect(endOf({ ...base, expiresAt: 5 }, 4)).toBeUndefined();
    expect(endOf({ ...base, expiresAt: 5 }, 5)).toBe('it has expired');
  });

  it('does not take a cluster out of a set that somebody chose', () => {
    const cluster = newCluster('a', {
      metadata: { creationTimestamp: formatTime(0), labels: { [Label.ClusterSet]: 'mine' } },
    });
    expect(isToPlace({ ...base, clusterSet: 'edge' }, undefined, cluster)).toBe(false);
  });

  it('takes a record that cannot be read for one that allows nothing', () => {
    const { metadata, data } = joinTokenRecord({ id: 'abcdef', maxUses: 1, expiresAt: 1000 });
    const broken = { metadata, data: { ...data, 'max-uses': 'many', expiration: 'later' } };
    expect(readJoinToken(broken)).toMatchObject({ maxUses: 0, expiresAt: 0 });
  });
});
