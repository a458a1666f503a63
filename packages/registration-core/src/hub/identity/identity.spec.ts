import { findCondition } from '@flotilla/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { clusterIdentityAnnotation, sharedIdentityAnnotation } from '../../contract/index.ts';
import { handlesOf, newCluster, type RunningHub, startHub } from '../fixtures/running-hub.ts';

let hub: RunningHub;
afterEach(() => hub.stop());

const withIdentity = (name: string, uid: string, hubAcceptsClient = true) =>
  newCluster(name, { metadata: { annotations: { [clusterIdentityAnnotation]: uid } }, spec: { hubAcceptsClient } });
const conditionsOf = async (name: string) => (await handlesOf(hub).clusters.get(name)).status?.conditions;
const accepted = async (name: string) => findCondition(await conditionsOf(name), 'HubAcceptedManagedCluster')?.status;
const unique = async (name: string) => findCondition(await conditionsOf(name), 'IdentityUnique');

describe('one cluster under two names', () => {
  it('is refused under the second, which says who holds it', async () => {
    hub = await startHub();
    const { clusters, namespaces, clusterRoles } = handlesOf(hub);
    await clusters.create(withIdentity('first', 'uid-1'));
    await hub.quiet();
    await clusters.create(withIdentity('second', 'uid-1'));
    await hub.quiet();
    expect(await accepted('first')).toBe('True');
    expect(await unique('first')).toBeUndefined();
    expect(await accepted('second')).toBeUndefined();
    expect(await unique('second')).toMatchObject({ status: 'False', reason: 'DuplicateIdentity' });
    expect((await unique('second'))?.message).toContain(
      'ManagedCluster "first" holds this identity (kube-system uid uid-1)',
    );
    expect(await namespaces.find('second')).toBeUndefined();
    expect(await clusterRoles.find('open-cluster-management:managedcluster:second')).toBeUndefined();
    hub.takeWrites();
    await hub.restart();
    expect(hub.takeWrites()).toEqual([]);
  });

  it('is refused under auto-approval too', async () => {
    hub = await startHub({ gates: { ManagedClusterAutoApproval: true } });
    await handlesOf(hub).clusters.create(withIdentity('first', 'uid-1', false));
    await handlesOf(hub).clusters.create(withIdentity('second', 'uid-1', false));
    await hub.quiet();
    expect(await accepted('first')).toBe('True');
    expect((await handlesOf(hub).clusters.get('second')).spec?.hubAcceptsClient).toBe(false);
  });

  it('is let in when the first name is given up', async () => {
    hub = await startHub();
    const { clusters } = handlesOf(hub);
    await clusters.create(withIdentity('first', 'uid-1'));
    await hub.quiet();
    await clusters.create(withIdentity('second', 'uid-1'));
    await hub.quiet();
    await clusters.delete('first');
    await hub.quiet();
    expect(await unique('second')).toMatchObject({ status: 'True', reason: 'IdentityUnique' });
    expect(await accepted('second')).toBe('True');
  });

  it('passes when it joins again under its own name, and so does another cluster', async () => {
    hub = await startHub();
    const { clusters } = handlesOf(hub);
    await clusters.create(withIdentity('first', 'uid-1'));
    await hub.quiet();
    await clusters.delete('first');
    await hub.quiet();
    await clusters.create(withIdentity('first', 'uid-1'));
    await clusters.create(withIdentity('other', 'uid-2'));
    await hub.quiet();
    expect([await accepted('first'), await accepted('other')]).toEqual(['True', 'True']);
    expect([await unique('first'), await unique('other')]).toEqual([undefined, undefined]);
  });

  it('is let in twice if an administrator says so', async () => {
    hub = await startHub();
    const { clusters } = handlesOf(hub);
    await clusters.create(withIdentity('first', 'uid-1'));
    await hub.quiet();
    await clusters.create(withIdentity('second', 'uid-1'));
    await hub.quiet();
    const annotations = { [sharedIdentityAnnotation]: 'true' };
    await clusters.patch('second', { type: 'merge', body: { metadata: { annotations } } });
    await hub.quiet();
    expect(await accepted('second')).toBe('True');
  });

  it('stays in and is flagged if the hub learns of it later, by the claim id.k8s.io', async () => {
    hub = await startHub();
    const { clusters } = handlesOf(hub);
    for (const name of ['first', 'second']) {
      await clusters.create(newCluster(name, { spec: { hubAcceptsClient: true } }));
      await hub.quiet();
      const clusterClaims = [{ name: 'id.k8s.io', value: 'id-1' }];
      await clusters.status.patch(name, { type: 'merge', body: { status: { clusterClaims } } });
      await hub.quiet();
    }
    expect([await accepted('first'), await accepted('second')]).toEqual(['True', 'True']);
    expect((await unique('second'))?.status).toBe('False');
    expect(await unique('first')).toBeUndefined();
  });
});
