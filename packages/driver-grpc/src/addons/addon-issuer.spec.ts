import { KubeError } from '@flotilla/kube';
import { createAuthority, issueCertificate } from '@flotilla/kube/pki';
import { FakeClock } from '@flotilla/kube/testing';
import type { Obtain, StoredCredentials } from '@flotilla/registration-core/contract';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { AddonEndpoint } from './addon-endpoint.ts';
import { addonIssuer } from './addon-issuer.ts';

const dayMs = 86_400_000;
const registration = { type: 'kubeClient', driver: 'grpc', addonName: 'a', user: '', groups: [] } as const;

async function start(probe: () => Promise<void> = async () => {}) {
  const clock = new FakeClock();
  const authority = await createAuthority('spec', clock);
  let server = 'https://127.0.0.1:1';
  const registered: string[] = [];
  const endpoint: AddonEndpoint = {
    listen: async () => ({
      endpoint: { name: 'hub', server, caData: 'Y2E=' },
      authority: authority.certificate,
      issue: (name, ttlMs) => issueCertificate(authority, { usage: 'client', name, ttlMs }, clock),
    }),
    register: (name) => registered.push(name),
    probe,
    close: async () => {},
  };
  const issuer = addonIssuer(endpoint, { clock }, registration);
  const obtain = issuer.start({ signal: new AbortController().signal } as Parameters<typeof issuer.start>[0]);
  return { clock, issuer, obtain, registered, moveTo: (next: string) => (server = next) };
}
async function obtained(obtain: Obtain, stored: StoredCredentials = {}): Promise<StoredCredentials> {
  const outcome = await obtain(stored);
  if (outcome.kind !== 'obtained') throw new Error(`it is ${outcome.kind}`);
  return outcome.credentials;
}

describe('the credentials of an add-on over gRPC', () => {
  it('are a kubeconfig that leads to the agent, and a certificate for that', async () => {
    const { issuer, obtain, registered } = await start();
    const stored = await obtained(obtain);
    expect(Object.keys(stored).sort()).toEqual(['kubeconfig', 'tls.crt', 'tls.key']);
    const { clusters, users } = parse(stored.kubeconfig ?? '');
    expect(clusters[0].cluster).toEqual({ 'certificate-authority-data': 'Y2E=', server: 'https://127.0.0.1:1' });
    expect(users[0].user).toEqual({ 'client-certificate': 'tls.crt', 'client-key': 'tls.key' });
    expect(issuer.evaluate(stored).usable).toBe(true);
    expect(registered).toEqual(['a']);
  });

  it('stay until a third of their life is left, and are renewed then', async () => {
    const { clock, obtain } = await start();
    const stored = await obtained(obtain);
    expect(await obtain(stored)).toMatchObject({
      kind: 'unchanged',
      condition: { type: 'HubAccessForwarded', status: 'True' },
      next: { afterMs: expect.closeTo((7 * dayMs * 2) / 3, -5) },
    });
    await clock.advance(5 * dayMs);
    expect((await obtained(obtain, stored))['tls.crt']).not.toBe(stored['tls.crt']);
  });

  it('are written anew when the agent is elsewhere, or they are those of another add-on or authority', async () => {
    const { obtain, moveTo } = await start();
    const stored = await obtained(obtain);
    const other = await obtained((await start()).obtain);
    expect(
      (await obtain({ ...stored, 'tls.crt': other['tls.crt'] ?? '', 'tls.key': other['tls.key'] ?? '' })).kind,
    ).toBe('obtained');
    moveTo('https://127.0.0.1:2');
    expect((await obtained(obtain, stored)).kubeconfig).toContain('https://127.0.0.1:2');
  });

  it.each<[string, KubeError, string, string]>([
    [
      'waits and says so when the server of the hub refuses',
      new KubeError('Forbidden', 'not registered', { status: 403 }),
      'waiting',
      'RefusedByHub',
    ],
    ['tries again when the hub is away', new KubeError('Unavailable', 'away'), 'failed', 'ForwardingFailed'],
  ])('%s', async (_, error, kind, reason) => {
    const { obtain } = await start(() => Promise.reject(error));
    const outcome = await obtain({});
    expect(outcome).toMatchObject({ kind, condition: { status: 'False', reason, message: error.message } });
  });

  it('are not there on a server that does not forward, and the condition says what to do', async () => {
    const error = new KubeError('MethodNotAllowed', 'not served', { reason: 'ForwardingNotServed', hint: 'Do this.' });
    const { obtain } = await start(() => Promise.reject(error));
    expect(await obtain({})).toMatchObject({
      kind: 'waiting',
      condition: { reason: 'NotServedByHub', message: expect.stringContaining('Do this.') },
      checkAfterMs: 300_000,
    });
  });

  it.each<[string, (stored: StoredCredentials) => StoredCredentials, string]>([
    ['there is no key', ({ 'tls.key': _, ...others }) => others, 'Missing'],
    ['there is nothing', () => ({}), 'Missing'],
    ['the certificate is none', (stored) => ({ ...stored, 'tls.crt': 'x' }), 'Malformed'],
  ])('cannot be used if %s', async (_, change, reason) => {
    const { issuer, obtain } = await start();
    expect(issuer.evaluate(change(await obtained(obtain)))).toMatchObject({ usable: false, reason });
  });

  it('cannot be used once they have ended', async () => {
    const { clock, issuer, obtain } = await start();
    const stored = await obtained(obtain);
    await clock.advance(8 * dayMs);
    expect(issuer.evaluate(stored)).toMatchObject({ usable: false, reason: 'Expired' });
  });
});
