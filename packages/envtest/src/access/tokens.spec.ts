import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKubeClient, KubeError } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import type { KubeRequest, Transport } from '@flotilla/kube/transport';
import { NEVER } from 'rxjs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createBootstrapToken, createServiceAccountToken, type TokenContext } from './tokens.ts';

const setUp = (answer: (request: KubeRequest) => object = () => ({})) => {
  const sent: { path?: string; body: Record<string, unknown> }[] = [];
  const transport: Transport = {
    async request(request) {
      sent.push({ path: request.path.split('?')[0], body: JSON.parse(String(request.body)) });
      return { status: 201, headers: {}, body: JSON.stringify(answer(request)) };
    },
    stream: () => Promise.reject(new Error('nothing is watched here')),
    accessChanged: NEVER,
    close: async () => {},
  };
  const clock = new FakeClock('2026-01-01T00:00:00Z');
  const context: TokenContext = {
    client: createKubeClient({ transport, clock }),
    clock,
    directory: mkdtempSync(join(tmpdir(), 'envtest-spec-')),
    access: () => ({ server: 'https://127.0.0.1:6443', ca: 'CA' }),
  };
  return { context, sent };
};

test('a bootstrap token is a Secret as kubeadm writes it, and a kubeconfig', async () => {
  const { context, sent } = setUp();
  const made = await createBootstrapToken(context, { ttlMs: 60_000, groups: ['system:bootstrappers:a'] });
  expect(made.token).toMatch(/^[a-z0-9]{6}\.[a-z0-9]{16}$/);
  const [id, secret] = made.token.split('.');
  expect(sent).toEqual([
    {
      path: '/api/v1/namespaces/kube-system/secrets',
      body: {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'bootstrap.kubernetes.io/token',
        metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
        stringData: {
          'token-id': id,
          'token-secret': secret,
          'usage-bootstrap-authentication': 'true',
          'usage-bootstrap-signing': 'true',
          'auth-extra-groups': 'system:bootstrappers:a',
          expiration: '2026-01-01T00:01:00.000Z',
        },
      },
    },
  ]);
  expect(made.expiresAt).toBe(Date.parse('2026-01-01T00:01:00Z'));
  expect(made.access.authorization).toBe(`Bearer ${made.token}`);
  expect(statSync(made.kubeconfigPath).mode & 0o777).toBe(0o600);
  expect(parse(readFileSync(made.kubeconfigPath, 'utf8')).users[0].user).toEqual({ token: made.token });
});

test('a service-account token comes from a TokenRequest, after namespace and account are there', async () => {
  const status = { token: 'jwt', expirationTimestamp: '2026-01-01T01:00:00Z' };
  const { context, sent } = setUp(({ path, method }) => {
    if (path.includes('/token')) return { status };
    throw new KubeError('AlreadyExists', `${method} ${path}`);
  });
  const made = await createServiceAccountToken(context, 'team/robot', { audiences: ['vault'], expirationSeconds: 600 });
  expect(sent.map(({ path }) => path)).toEqual([
    '/api/v1/namespaces',
    '/api/v1/namespaces/team/serviceaccounts',
    '/api/v1/namespaces/team/serviceaccounts/robot/token',
  ]);
  expect(sent[2]?.body.spec).toEqual({ audiences: ['vault'], expirationSeconds: 600 });
  expect([made.token, made.expiresAt]).toEqual(['jwt', Date.parse('2026-01-01T01:00:00Z')]);
  expect(made.kubeconfigPath).toMatch(/\/system_serviceaccount_team_robot\.kubeconfig$/);
});

test('other failures are not swallowed', async () => {
  const { context } = setUp(() => {
    throw new KubeError('Forbidden', 'no');
  });
  await expect(createServiceAccountToken(context, 'team/robot')).rejects.toThrow('Forbidden: no');
});

test.each(['robot', 'a/b/c', '/robot', 'team/'])("'%s' is not a service account", async (account) => {
  const { context } = setUp();
  await expect(createServiceAccountToken(context, account)).rejects.toThrow('is not of the form namespace/name');
});
