import { GroupName } from '@flotilla/api-types';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { KubeError } from '@flotilla/kube';
import { type CertificateSigningRequest, configMaps, namespaces } from '@flotilla/kube/kinds';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinTokenKey, joinTokenRecord, readJoinToken } from '../contract/index.ts';
import { claimTokenUse, findTokenRefusal } from './join-token-uses.ts';

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane({ listen: false });
  await plane.client.resource(namespaces).create({ metadata: { name: 'open-cluster-management-hub' } });
});
afterAll(() => plane?.stop());

const none = { requests: { list: () => [] } };

/** A request of the holder of a token. */
const requestOf = (id: string, uid: string): CertificateSigningRequest => ({
  metadata: { name: uid, uid },
  spec: {
    request: '',
    signerName: '',
    username: `system:bootstrap:${id}`,
    groups: [GroupName.RestrictedBootstrappers],
  },
});
const approvedRequestOf = (id: string, uid: string): CertificateSigningRequest => ({
  ...requestOf(id, uid),
  status: { conditions: [{ type: 'Approved', status: 'True' }] },
});

async function createRecord(id: string, maxUses: number): Promise<void> {
  const handle = plane.client.resource(configMaps);
  await handle.delete(joinTokenKey(id));
  await handle.create(joinTokenRecord({ id, maxUses }));
}
const recordOf = async (id: string) => readJoinToken(await plane.client.resource(configMaps).get(joinTokenKey(id)));

/** As a controller does that comes back to what it could not finish. */
async function claim(id: string, uid: string): Promise<boolean> {
  for (;;) {
    try {
      return (await claimTokenUse(plane.client, requestOf(id, uid), none)) === undefined;
    } catch (error) {
      if (!KubeError.is(error, 'Conflict')) throw error;
    }
  }
}

describe('the uses of a join token', () => {
  it('are never more than its limit, however many approve at once and how often each of them tries', async () => {
    const asked = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), asked, async (maxUses, uids) => {
        await createRecord('racers', maxUses);
        const answers = await Promise.all(
          uids.map(async (uid) => ({ uid, isApproved: await claim('racers', `${uid}`) })),
        );
        const approved = new Set(answers.filter(({ isApproved }) => isApproved).map(({ uid }) => uid));
        expect(approved.size).toBe(Math.min(maxUses, new Set(uids).size));
        expect((await recordOf('racers'))?.approved).toHaveLength(approved.size);
        // Who has a use has it for all of its tries.
        for (const { uid, isApproved } of answers) expect(isApproved).toBe(approved.has(uid));
      }),
      { numRuns: 30 },
    );
  });

  it('include those that got a certificate and those that were approved by hand, and the request itself is no other', async () => {
    await createRecord('abcdef', 3);
    const body = { data: { uses: 'issued', approved: 'issued,claimed' } };
    await plane.client.resource(configMaps).patch(joinTokenKey('abcdef'), { type: 'merge', body });
    const refused = 'the join token abcdef is used up (max-uses 3)';
    const byHand = { requests: { list: () => [approvedRequestOf('abcdef', 'by-hand')] } };
    expect(await findTokenRefusal(plane.client, requestOf('abcdef', 'new'), none)).toBeUndefined();
    expect(await findTokenRefusal(plane.client, requestOf('abcdef', 'new'), byHand)).toBe(refused);
    expect(await claimTokenUse(plane.client, requestOf('abcdef', 'new'), byHand)).toBe(refused);
    expect(await claimTokenUse(plane.client, requestOf('abcdef', 'claimed'), byHand)).toBeUndefined();
    expect((await recordOf('abcdef'))?.approved).toEqual(['issued', 'claimed']);
    // What is counted as issued needs no second entry.
    expect(await claimTokenUse(plane.client, requestOf('abcdef', 'new'), none)).toBeUndefined();
    expect((await recordOf('abcdef'))?.approved).toEqual(['claimed', 'new']);
  });

  it('are none once the token is gone, and are not counted for a token without a limit', async () => {
    const gone = requestOf('zzzzzz', 'any');
    expect(await claimTokenUse(plane.client, gone, none)).toBe('the join token zzzzzz does not exist any more');
    const unrestricted = { ...gone, spec: { ...gone.spec, groups: [] } };
    expect(await claimTokenUse(plane.client, unrestricted, none)).toBeUndefined();
    await plane.client.resource(configMaps).create(joinTokenRecord({ id: 'nolimi', clusterName: 'a' }));
    expect(await claimTokenUse(plane.client, requestOf('nolimi', 'any'), none)).toBeUndefined();
    expect((await recordOf('nolimi'))?.approved).toEqual([]);
  });
});
