import { findCondition } from '@flotilla/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { clusterIdentityAnnotation, sharedIdentityAnnotation } from '../../contract/index.ts';
import { handlesOf, newCluster, type RunningHub, startHub, testDriver } from '../fixtures/running-hub.ts';

let hub: RunningHub;
afterEach(() => hub.stop());

const withIdentity = (name: string, uid: string, hubAcceptsClient = true) =>
  newCluster(name, { metadata: { annotations: { [clusterIdentityAnnotation]: uid } }, spec: { hubAcceptsClient } });
const conditionsOf = async (name: string) => (await handlesOf(hub).clusters.get(name)).status?.conditions;
const accepted = async (name: string) => findCondition(await conditionsOf(name), 'HubAcceptedManagedCluster')?.status;
const unique = async (name: string) => findCondition(await conditionsOf(name), 'IdentityUnique');

describe('one cluster under two names', () => {
  it('is refused under the second with the policy refuse, which says who holds it and how to allow both', async () => {
    hub = await startHub({ options: { duplicateIdentity: 'refuse' } });
    const { clusters, namespaces, clusterRoles } = handlesOf(hub);
    await clusters.create(withIdentity('first', 'uid-1'));
    await hub.quiet();
    await clusters.create(withIdentity('second', 'uid-1'));
    await hub.quiet();
    expect(await accepted('first')).toBe('True');
    expect(await unique('first')).toBeUndefined();
    expect(await accepted('second')).toBeUndefined();
    expect(await unique('second')).toMatchObject({ status: 'False', reason: 'DuplicateIdentity' });
    expect((await unique('second'))?.message).toBe(
      'ManagedCluster "first" holds this identity (kube-system uid uid-1): this is the same cluster under a second name. ' +
        'It is not accepted. Remove "first" if it was a mistake; if both names are meant, set annotation ' +
        'open-cluster-management.io/shared-identity-allowed=true here, or run the hub with --duplicate-identity=warn.',
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

  it('is accepted under both if an administrator accepts the second by hand, and says so', async () => {
    hub = await startHub({ gates: { ManagedClusterAutoApproval: true } });
    const { clusters } = handlesOf(hub);
    await clusters.create(withIdentity('first', 'uid-1', false));
    await hub.quiet();
    await clusters.create(withIdentity('second', 'uid-1', false));
    await hub.quiet();
    expect(await accepted('second')).toBeUndefined();
    expect((await unique('second'))?.message).toContain(
      'It is not accepted automatically. Remove "first" if it was a mistake; if both names are meant, accept this one too: set spec.hubAcceptsClient of ManagedCluster "second" to true.',
    );
    await clusters.patch('second', { type: 'merge', body: { spec: { hubAcceptsClient: true } } });
    await hub.quiet();
    expect(await accepted('second')).toBe('True');
    expect((await unique('second'))?.message).toContain('It is accepted because an administrator said so.');
    expect(await unique('first')).toBeUndefined();
  });

  it('is not compared with the policy allow', async () => {
    hub = await startHub({
      gates: { ManagedClusterAutoApproval: true },
      options: { duplicateIdentity: 'allow' },
    });
    for (const name of ['first', 'second']) {
      await handlesOf(hub).clusters.create(withIdentity(name, 'uid-1', false));
      await hub.quiet();
    }
    expect([await accepted('first'), await accepted('second')]).toEqual(['True', 'True']);
    expect(await unique('second')).toBeUndefined();
  });

  it('is accepted under the name that an administrator chose, although another was asked for first', async () => {
    hub = await startHub({ options: { duplicateIdentity: 'refuse' } });
    const { clusters } = handlesOf(hub);
    await clusters.create(withIdentity('wrong', 'uid-1', false));
    await hub.pass(1000);
    await clusters.create(withIdentity('right', 'uid-1', false));
    await hub.quiet();
    expect([await unique('wrong'), await unique('right')]).toEqual([undefined, undefined]);
    await clusters.patch('right', { type: 'merge', body: { spec: { hubAcceptsClient: true } } });
    await hub.quiet();
    expect(await accepted('right')).toBe('True');
    expect(await unique('right')).toBeUndefined();
    expect(await unique('wrong')).toMatchObject({ status: 'False', reason: 'DuplicateIdentity' });
  });

  it('is accepted under one name only if both are wanted at the same moment, with the policy refuse', async () => {
    hub = await startHub({ options: { duplicateIdentity: 'refuse' } });
    const { clusters } = handlesOf(hub);
    await Promise.all(['a', 'b'].map((name) => clusters.create(withIdentity(name, 'uid-1'))));
    await hub.quiet();
    expect([await accepted('a'), await accepted('b')]).toEqual(['True', undefined]);
  });

  it('is accepted automatically under the second name when the first, which asked before, is given up', async () => {
    let isFirstWanted = true;
    const driver = testDriver({
      accepts: ({ metadata }) => (metadata?.name !== 'first' || isFirstWanted ? 'accept' : 'refuse'),
    });
    hub = await startHub({ gates: { ManagedClusterAutoApproval: true }, drivers: [driver] });
    const { clusters } = handlesOf(hub);
    hub.failWith(({ method, path }) => (method === 'PATCH' && path.endsWith('/first') ? 'Forbidden' : undefined));
    await clusters.create(withIdentity('first', 'uid-1', false));
    await hub.pass(1000);
    await clusters.create(withIdentity('second', 'uid-1', false));
    await hub.quiet();
    expect(await accepted('second')).toBeUndefined();
    isFirstWanted = false;
    hub.failWith(undefined);
    await clusters.patch('first', { type: 'merge', body: { metadata: { annotations: { note: 'x' } } } });
    await hub.quiet();
    expect([await accepted('first'), await accepted('second')]).toEqual([undefined, 'True']);
  });

  it('is accepted when the first name is given up', async () => {
    hub = await startHub({ options: { duplicateIdentity: 'refuse' } });
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

  it('is accepted twice if it may share its identity', async () => {
    hub = await startHub({ options: { duplicateIdentity: 'refuse' } });
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

  it('stays accepted and is flagged if the hub observes it later, by the claim id.k8s.io', async () => {
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
