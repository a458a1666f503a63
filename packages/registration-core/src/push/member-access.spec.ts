import { realClock } from '@flotilla/kube';
import type { Secret } from '@flotilla/kube/kinds';
import { createAuthority } from '@flotilla/kube/pki';
import { firstValueFrom, Subject } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { memberAccess, readMemberRecord } from './member-access.ts';
import { type MemberCredential, memberSecret } from './member-secret.ts';
import { clusterModeOf } from './mode.ts';

const cluster = { metadata: { name: 'member1', uid: 'u1' } };
let ca: string;
beforeAll(async () => {
  ca = (await createAuthority('test', realClock)).certificate;
});

const credential = (changes: Partial<MemberCredential['access']> = {}): MemberCredential => ({
  access: { server: 'https://member1.example:6443', ca, ...changes },
  token: 'secret-token',
  serviceAccount: 'open-cluster-management-push/push-member1',
  hubServer: 'https://hub.example:6443',
});

/** A cache with one Secret that can be replaced. */
function secretsOf(first: Secret) {
  const changes = new Subject<{ type: 'added' | 'updated'; key: string; object: Secret; initial: boolean }>();
  let current = first;
  const key = 'member1/member-access';
  return {
    cache: {
      changes: {
        subscribe(next: (change: object) => void) {
          next({ type: 'added', key, object: current, initial: true });
          return changes.subscribe(next);
        },
      } as never,
      has: (asked: string) => asked === key,
      whenSynced: async () => {},
    },
    replace(next: Secret) {
      current = next;
      changes.next({ type: 'updated', key, object: next, initial: false });
    },
  };
}

const open = (secret: Secret) => {
  const { cache, replace } = secretsOf(secret);
  return { access: memberAccess({ secrets: cache, clusterName: 'member1', clock: realClock }), replace };
};

describe('the access to a pushed cluster', () => {
  it('is owned by its ManagedCluster', () => {
    expect(memberSecret(cluster, credential()).metadata).toMatchObject({
      name: 'member-access',
      namespace: 'member1',
      ownerReferences: [{ kind: 'ManagedCluster', name: 'member1', uid: 'u1' }],
    });
  });

  it('is read as it was written, with its proxy', async () => {
    const proxy = { proxyUrl: 'http://proxy:3128', proxyHeaders: { 'X-Team': 'fleet' }, tlsServerName: 'kubernetes' };
    const { access } = open(memberSecret(cluster, credential(proxy)));
    expect(await access.current()).toMatchObject({
      server: 'https://member1.example:6443',
      ca,
      authorization: 'Bearer secret-token',
      ...proxy,
    });
    access.close();
  });

  it('changes with the token, and with the CA', async () => {
    const secret = memberSecret(cluster, credential());
    const { access, replace } = open(secret);
    await access.current();
    const changed = firstValueFrom(access.changes);
    replace({ ...secret, data: { ...secret.data, token: Buffer.from('another').toString('base64') } });
    await changed;
    expect((await access.current()).authorization).toBe('Bearer another');
    const changedAgain = firstValueFrom(access.changes);
    const other = (await createAuthority('other', realClock)).certificate;
    replace({ ...secret, data: { ...secret.data, 'ca.crt': Buffer.from(other).toString('base64') } });
    await changedAgain;
    expect((await access.current()).ca).toBe(other);
    access.close();
  });

  it('is never stored without verification, and never read so', async () => {
    expect(() => memberSecret(cluster, credential({ insecureSkipTlsVerify: true }))).toThrow(/does not verify/);
    expect(() => memberSecret(cluster, credential({ server: 'http://member1' }))).toThrow(/is not one of https/);
    const secret = memberSecret(cluster, credential());
    const text = Buffer.from(secret.data?.kubeconfig ?? '', 'base64').toString();
    const insecure = text.replace('certificate-authority: ca.crt', 'insecure-skip-tls-verify: true');
    expect(insecure).not.toBe(text);
    const { access } = open({
      ...secret,
      data: { ...secret.data, kubeconfig: Buffer.from(insecure).toString('base64') },
    });
    expect((await access.current()).insecureSkipTlsVerify).toBe(false);
    access.close();
  });

  it.each([
    ['token', 'Secret member1/member-access has no entry token'],
    ['hub-server', 'Secret member1/member-access has no entry hub-server'],
  ])('says that %s is missing', (entry, message) => {
    const { [entry]: _gone, ...data } = memberSecret(cluster, credential()).data ?? {};
    expect(() => readMemberRecord({ ...memberSecret(cluster, credential()), data })).toThrow(message);
  });

  it('refuses headers that are not an object of texts, without quoting them', async () => {
    const secret = memberSecret(cluster, credential());
    const headers = Buffer.from('{"Authorization": 7}').toString('base64');
    const { access } = open({ ...secret, data: { ...secret.data, 'proxy-headers': headers } });
    await expect(access.current()).rejects.toThrow(
      'proxy-headers of Secret member1/member-access is not a JSON object of texts',
    );
    access.close();
  });
});

describe('the mode of a cluster', () => {
  it.each([
    ['Push by its label', { 'open-cluster-management.io/cluster-mode': 'Push' }, 'Push'],
    ['Pull without it', {}, 'Pull'],
    ['Pull with another value', { 'open-cluster-management.io/cluster-mode': 'push' }, 'Pull'],
  ])('is %s', (_, labels, mode) => {
    expect(clusterModeOf({ metadata: { name: 'c', labels } })).toBe(mode);
  });
});
