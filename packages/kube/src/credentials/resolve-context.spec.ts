import { beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type Authority, createAuthority, type KeyPair } from '../client/fixtures/pki.ts';
import { parseKubeconfig } from './kubeconfig.ts';
import { resolveContext } from './resolve-context.ts';

let authority: Authority;
let pair: KeyPair;
let other: KeyPair;

beforeAll(async () => {
  authority = await createAuthority();
  [pair, other] = await Promise.all([authority.issue(), authority.issue()]);
});

const base64 = (text: string) => Buffer.from(text).toString('base64');

function kubeconfig(cluster: object, user: object = {}) {
  const text = stringify({
    'current-context': 'here',
    clusters: [{ name: 'c', cluster: { server: 'https://hub:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [
      { name: 'here', context: { cluster: 'c', user: 'u' } },
      { name: 'lost', context: { cluster: 'gone', user: 'u' } },
    ],
  });
  return parseKubeconfig(text, '/etc/kube/config');
}

const files = (contents: Record<string, string> = {}) => ({
  read: async (reference: string, from: string) => {
    expect(from).toBe('/etc/kube/config');
    const content = contents[reference];
    if (content === undefined) throw new Error(`unexpected read of ${reference}`);
    return content;
  },
});

const resolve = (cluster: object, user: object = {}, contents: Record<string, string> = {}) =>
  resolveContext(kubeconfig(cluster, user), { files: files(contents) });

describe('access by a context', () => {
  it('has server, trust and proxy of the cluster, and where it came from', async () => {
    expect(
      await resolve({
        'certificate-authority-data': base64(authority.ca),
        'tls-server-name': 'api',
        'proxy-url': 'http://proxy:3128',
      }),
    ).toEqual({
      server: 'https://hub:6443',
      ca: authority.ca,
      tlsServerName: 'api',
      proxyUrl: 'http://proxy:3128',
      clusterName: 'c',
      origin: '/etc/kube/config (context "here")',
    });
    expect(await resolve({ 'insecure-skip-tls-verify': true })).toMatchObject({ insecureSkipTlsVerify: true });
  });

  it('reads files that it names, but not where the data is inline', async () => {
    const user = { 'client-certificate': 'tls.crt', 'client-key-data': base64(pair.key), 'client-key': 'ignored' };
    const access = await resolve({ 'certificate-authority': 'ca.crt' }, user, {
      'ca.crt': authority.ca,
      'tls.crt': pair.certificate,
    });
    expect(access.ca).toBe(authority.ca);
    expect(access.clientCertificate).toEqual(pair);
  });

  it.each([
    [{ token: 't' }, 'Bearer t'],
    [{ token: 'old', tokenFile: 'token' }, 'Bearer fresh'],
    [{ username: 'ann', password: 'pü' }, `Basic ${base64('ann:pü')}`],
    [{}, undefined],
  ])('authorizes %j as %s', async (user, authorization) => {
    expect((await resolve({}, user, { token: 'fresh\n' })).authorization).toBe(authorization);
  });

  it('carries impersonation', async () => {
    const user = { as: 'bob', 'as-uid': '1', 'as-groups': ['g'], 'as-user-extra': { scope: ['a', 'b'] } };
    expect((await resolve({}, user)).impersonate).toEqual({
      user: 'bob',
      uid: '1',
      groups: ['g'],
      extra: { scope: ['a', 'b'] },
    });
  });

  it('asks the exec plugin with what the cluster says of itself', async () => {
    const config = kubeconfig(
      { extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }] },
      { exec: { command: 'login' } },
    );
    const access = await resolveContext(config, {
      files: files(),
      exec: async (fields, { kubeconfigFile, clusterExtension }) => {
        expect([fields.text('command'), kubeconfigFile, clusterExtension]).toEqual([
          'login',
          '/etc/kube/config',
          { audience: 'x' },
        ]);
        return { authorization: 'Bearer made', expiresAt: 5 };
      },
    });
    expect(access).toMatchObject({ authorization: 'Bearer made', expiresAt: 5 });
  });
});

describe('a context that cannot be used', () => {
  const user = 'user "u" in /etc/kube/config';
  it.each<[string, object, object, string]>([
    ['no server', { server: '' }, {}, 'cluster "c" in /etc/kube/config: server is missing'],
    ['a server without a scheme', { server: 'hub:6443' }, {}, 'cluster "c" in /etc/kube/config: server is not a URL'],
    ['a CA that is not base64', { 'certificate-authority-data': '*' }, {}, 'certificate-authority-data must be base64'],
    [
      'a CA that is no PEM',
      { 'certificate-authority-data': 'aGVsbG8=' },
      {},
      'certificate-authority of cluster "c" in /etc/kube/config does not hold whole PEM certificates',
    ],
    ['an auth provider', {}, { 'auth-provider': { name: 'gcp' } }, `${user}: auth-provider is not supported`],
    [
      'a certificate without a key',
      {},
      { 'client-certificate': 'tls.crt' },
      `${user}: client-key is missing beside client-certificate`,
    ],
    ['two ways to authorize', {}, { token: 't', username: 'a' }, `${user}: username is set together with a token`],
    ['a token that is none', {}, { token: 'a b' }, `${user}: token holds no token`],
    [
      'impersonation without a user',
      {},
      { 'as-groups': ['g'] },
      `${user}: as is missing beside as-uid, as-groups or as-user-extra`,
    ],
    ['exec where it is not allowed', {}, { exec: { command: 'x' } }, `${user}: exec is not allowed here`],
  ])('with %s says so', async (_what, cluster, userFields, message) => {
    await expect(resolve(cluster, userFields, { 'tls.crt': pair.certificate })).rejects.toThrow(message);
  });

  it('with the key of another certificate says so, and shows no key', async () => {
    const wrong = { 'client-certificate-data': base64(pair.certificate), 'client-key-data': base64(other.key) };
    await expect(resolve({}, wrong)).rejects.toThrow(
      `the client key of ${user} does not belong to its client certificate`,
    );
  });

  it('names the contexts and clusters that there are', async () => {
    const config = kubeconfig({});
    await expect(resolveContext(config, { files: files(), context: 'nope' })).rejects.toMatchObject({
      message: 'Config: /etc/kube/config: there is no context "nope"',
      hint: expect.stringContaining('here, lost'),
    });
    await expect(resolveContext(config, { files: files(), context: 'lost' })).rejects.toThrow(
      'there is no cluster "gone" of context "lost"',
    );
    await expect(resolveContext(parseKubeconfig('', '/k'), { files: files() })).rejects.toThrow(
      '/k has no current-context',
    );
  });
});
