import type { CachedResource, KubeClient } from '@flotilla/kube';
import { silentLogger } from '@flotilla/kube';
import type { Secret } from '@flotilla/kube/kinds';
import { FakeClock } from '@flotilla/kube/testing';
import { EMPTY } from 'rxjs';
import { expect, it } from 'vitest';
import { tokenRenewalController } from './token.controller.ts';

const encoded = (text: string): string => Buffer.from(text).toString('base64');

it.each([
  ['ended before it began', { iat: 200, exp: 100 }],
  ['lives for no time', { iat: 100, exp: 100 }],
  ['has ended long ago', { iat: 100, exp: 700 }],
])('asks a member once a minute at most, if each token that it gives %s', async (_, payload) => {
  const clock = new FakeClock();
  const token = `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.sig`;
  const data = {
    token: encoded(token),
    'service-account': encoded('ns/hub'),
    'hub-server': encoded('https://hub.example'),
  };
  const secret: Secret = { metadata: { namespace: 'c1', name: 'member-access', uid: '1' }, data };
  let asked = 0;
  let written = 0;
  const secrets = {
    changes: EMPTY,
    get: () => secret,
    async patch() {
      written += 1;
    },
  };
  const account = {
    async createSubresource() {
      asked += 1;
      return { status: { token, expirationTimestamp: '2026-01-01T00:00:00Z' } };
    },
  };
  const controller = tokenRenewalController({
    clusterName: 'c1',
    clusters: { get: () => undefined } as never,
    secrets: secrets as unknown as CachedResource<Secret>,
    spoke: { resource: () => account } as unknown as KubeClient,
    clock,
    random: () => 0,
  });
  const { signal } = new AbortController();
  const reconcile = () => controller.reconcile('c1/member-access', { signal, log: silentLogger } as never);
  await reconcile();
  // Each new token wakes it.
  for (let second = 0; second < 59; second += 1) {
    await reconcile();
    await clock.advance(1000);
  }
  expect([asked, written]).toEqual([1, 1]);
  await clock.advance(600_000);
  await reconcile();
  expect([asked, written]).toEqual([2, 2]);
});
