import { type ClusterAccess, createKubeClient, KubeError, realClock } from '@flotilla/kube';
import { signatureKey, signDetached } from '@flotilla/kube/bootstrap-token';
import { configMaps } from '@flotilla/kube/kinds';
import { createAuthority } from '@flotilla/kube/pki';
import { FakeClock } from '@flotilla/kube/testing';
import { FakeApi } from '@flotilla/kube/testing/internal';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../context.ts';
import { pinsOf } from '../hub-access/ca-pin.ts';
import { type Discovery, discoverCa } from './discovery.ts';

const token = { id: 'abcdef', secret: '0123456789abcdef' };
const key = 'kube-public/cluster-info';
let ca: string;
let evilCa: string;
beforeAll(async () => {
  ca = (await createAuthority('hub', realClock)).certificate;
  evilCa = (await createAuthority('evil', realClock)).certificate;
});

const kubeconfigOf = (...bundles: string[]) =>
  JSON.stringify({
    clusters: bundles.map((bundle) => ({
      name: '',
      cluster: { server: 'https://hub:6443', 'certificate-authority-data': Buffer.from(bundle).toString('base64') },
    })),
  });
const signed = (kubeconfig: string, by = token) => ({ kubeconfig, [signatureKey(by)]: signDetached(kubeconfig, by) });

/** A server that publishes what it is told, and keeps all that was sent to it. */
async function hubWith(data: Record<string, string>, certifiedBy = ca) {
  const clock = new FakeClock();
  const client = createKubeClient({ transport: new FakeApi(clock), clock });
  const infos = client.resource(configMaps);
  await infos.create({ metadata: { namespace: 'kube-public', name: 'cluster-info' }, data });
  const accesses: ClusterAccess[] = [];
  /** Before each access; the first is number 0. */
  let before = async (_: number): Promise<void> => {};
  const connector = {
    async toServer(access: ClusterAccess): Promise<Connection> {
      await before(accesses.length);
      accesses.push(access);
      const trusts = access.insecureSkipTlsVerify || access.ca?.includes(certifiedBy.trim());
      if (!trusts) throw new KubeError('Tls', 'unable to verify the first certificate');
      return { client, access, async [Symbol.asyncDispose]() {} };
    },
  };
  const join = { server: 'https://hub:6443', serverFlag: 'hub:6443', pins: pinsOf(ca), pinFlag: '--pin', token };
  const register = { signed: { clock, signal: new AbortController().signal, timeoutMs: 5000, onPending() {} } };
  return {
    clock,
    infos,
    accesses,
    onAccess(next: typeof before) {
      before = next;
    },
    discover: (changes: Partial<Discovery> = {}) => discoverCa({ connector }, { ...join, ...register, ...changes }),
    discoverForJoin: () => discoverCa({ connector }, join),
  };
}

/** Without trust first, then verified; the token never. */
const expectNoToken = (accesses: readonly ClusterAccess[]) => {
  for (const access of accesses) {
    expect(access).not.toHaveProperty('authorization');
    expect(JSON.stringify(access)).not.toContain(token.secret);
  }
};

describe('discovery', () => {
  it('reads without trust and without the token, verifies, and reads again from a verified server', async () => {
    const hub = await hubWith(signed(kubeconfigOf(ca)));
    expect(await hub.discover()).toBe(`${ca.trim()}\n`);
    expect(hub.accesses.map(({ insecureSkipTlsVerify, ca: by }) => [insecureSkipTlsVerify, by?.trim()])).toEqual([
      [true, undefined],
      [undefined, ca.trim()],
    ]);
    expectNoToken(hub.accesses);
  });

  it('trusts of a bundle only what has a hash in the command', async () => {
    const hub = await hubWith(signed(kubeconfigOf(`${evilCa}\n${ca}`)));
    expect(await hub.discover()).toBe(`${ca.trim()}\n`);
  });

  it('waits for a signature that is written later', async () => {
    const hub = await hubWith({ kubeconfig: kubeconfigOf(ca) });
    hub.onAccess(async (count) => {
      if (count === 2) await hub.infos.patch(key, { type: 'merge', body: { data: signed(kubeconfigOf(ca)) } });
    });
    const found = hub.discover();
    await hub.clock.advance(1000);
    await hub.clock.advance(1000);
    expect(await found).toBe(`${ca.trim()}\n`);
  });

  it('says what to do when there is no signature in time', async () => {
    const hub = await hubWith(signed(kubeconfigOf(ca), { ...token, id: 'zzzzzz' }));
    const found = expect(hub.discover()).rejects.toMatchObject({
      message: expect.stringContaining('has no key jws-kubeconfig-abcdef yet'),
      hint: expect.stringContaining('flotilla token create --print-register-command'),
    });
    for (let seconds = 0; seconds < 6; seconds += 1) await hub.clock.advance(1000);
    await found;
    expectNoToken(hub.accesses);
  });

  const refusals: Record<string, [() => Promise<Awaited<ReturnType<typeof hubWith>>>, string, number]> = {
    'a signature by another secret': [
      () =>
        hubWith({
          kubeconfig: kubeconfigOf(ca),
          [signatureKey(token)]: signDetached(kubeconfigOf(ca), { ...token, secret: 'fedcba9876543210' }),
        }),
      'is not signed by this token',
      1,
    ],
    'a signature of what it said before': [
      () => hubWith({ ...signed(kubeconfigOf(ca)), kubeconfig: kubeconfigOf(evilCa) }),
      'is not signed by this token',
      1,
    ],
    'another CA, signed by one who has the token': [
      () => hubWith(signed(kubeconfigOf(evilCa)), ''),
      'is not the one that the join command names (--pin)',
      1,
    ],
    'the right CA, which its own certificate is not by': [
      () => hubWith(signed(kubeconfigOf(ca)), 'another'),
      'cannot be verified with the CA that it publishes, so the token was not sent',
      2,
    ],
    'two clusters': [() => hubWith(signed(kubeconfigOf(ca, ca))), 'has 2 clusters, and should have one', 1],
    'nothing that can be read': [() => hubWith(signed('{')), 'has 0 clusters', 1],
    'something else the second time': [
      async () => {
        const hub = await hubWith(signed(kubeconfigOf(ca)));
        hub.onAccess(async (count) => {
          const other = signed(kubeconfigOf(ca).replace('hub:6443', 'evil:6443'));
          if (count === 1) await hub.infos.patch(key, { type: 'merge', body: { data: other } });
        });
        return hub;
      },
      'said something else about itself once its certificate was verified',
      2,
    ],
  };
  it.each(Object.entries(refusals))('refuses %s, before the token is sent', async (_, [start, message, accesses]) => {
    const hub = await start();
    await expect(hub.discover()).rejects.toThrow(message);
    expect(hub.accesses).toHaveLength(accesses);
    expectNoToken(hub.accesses);
  });

  it('believes the signature alone only when it is told to', async () => {
    const hub = await hubWith(signed(kubeconfigOf(ca)));
    expect(await hub.discover({ pins: [] })).toBe(ca);
    expect(hub.accesses).toHaveLength(1);
  });

  it('of join needs no signature, and refuses a wrong one', async () => {
    const unsigned = await hubWith({ kubeconfig: kubeconfigOf(ca) });
    expect(await unsigned.discoverForJoin()).toBe(`${ca.trim()}\n`);
    const forged = await hubWith({ kubeconfig: kubeconfigOf(ca), [signatureKey(token)]: 'forged' });
    await expect(forged.discoverForJoin()).rejects.toThrow('is not signed by this token');
  });
});
