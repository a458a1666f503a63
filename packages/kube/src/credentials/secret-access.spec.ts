import { BehaviorSubject, firstValueFrom, Subject } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Authority, createAuthority, type KeyPair } from '../client/fixtures/pki.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { type SecretData, secretAccess } from './secret-access.ts';

let authority: Authority;
beforeAll(async () => {
  authority = await createAuthority();
});

const origin = 'Secret agent/hub-kubeconfig-secret';
const base64 = (text: string) => Buffer.from(text).toString('base64');

function secret(
  pair: KeyPair,
  user: object = { 'client-certificate': 'tls.crt', 'client-key': './tls.key' },
): SecretData {
  const kubeconfig = JSON.stringify({
    'current-context': 'x',
    clusters: [{ name: 'x', cluster: { server: 'https://hub', 'certificate-authority-data': base64(authority.ca) } }],
    users: [{ name: 'x', user }],
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
  });
  return { kubeconfig: base64(kubeconfig), 'tls.crt': base64(pair.certificate), 'tls.key': base64(pair.key) };
}

describe('access from a Secret', () => {
  it('waits for the Secret, takes the keys that the kubeconfig names, and follows changes', async () => {
    const [old, next] = await Promise.all([authority.issue(), authority.issue()]);
    const data = new Subject<SecretData | undefined>();
    const source = secretAccess({ data, origin, clock: new FakeClock() });
    const first = source.current();
    data.next(secret(old));
    expect(await first).toEqual({
      server: 'https://hub',
      clusterName: 'x',
      ca: authority.ca,
      clientCertificate: old,
      origin,
    });
    const change = firstValueFrom(source.changes);
    data.next(secret(next));
    await change;
    expect((await source.current()).clientCertificate).toEqual(next);
  });

  it('keeps the last good access when the Secret goes or its halves do not fit', async () => {
    const [old, next] = await Promise.all([authority.issue(), authority.issue()]);
    const data = new BehaviorSubject<SecretData | undefined>(secret(old));
    const source = secretAccess({ data, origin, clock: new FakeClock() });
    await source.current();
    for (const [broken, message] of [
      [undefined, 'Config: Secret agent/hub-kubeconfig-secret does not exist'],
      [{ ...secret(old), 'tls.crt': base64(next.certificate) }, /does not belong/],
    ] as const) {
      const error = firstValueFrom(source.errors);
      data.next(broken);
      expect((await error).message).toMatch(message);
      expect((await source.current()).clientCertificate).toEqual(old);
    }
  });

  it('refuses an exec plugin and names of files outside the Secret', async () => {
    const pair = await authority.issue();
    const open = (user: object) =>
      secretAccess({
        data: new BehaviorSubject<SecretData | undefined>(secret(pair, user)),
        origin,
        clock: new FakeClock(),
      }).current();
    await expect(open({ exec: { command: 'sh', apiVersion: 'client.authentication.k8s.io/v1' } })).rejects.toThrow(
      'exec is not allowed here',
    );
    await expect(open({ tokenFile: '/var/run/token' })).rejects.toThrow(`${origin} has no key /var/run/token`);
  });
});
