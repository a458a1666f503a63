import { silentLogger } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import type { AddonRegistration } from '@flotilla/registration-core/contract';
import { NEVER } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { tokenAddon } from './addon.ts';
import { serviceAccountToken } from './fixtures/jwt.ts';

const registration: AddonRegistration = {
  type: 'kubeClient',
  driver: 'token',
  addonName: 'work',
  user: 'declared',
  groups: ['declared'],
};
const identity = { clusterName: 'c1', agentName: 'a1' };

describe('the token driver', () => {
  it('serves access to the API of the hub by token, and nothing else', () => {
    expect(tokenAddon.supports(registration)).toBe(true);
    expect(tokenAddon.supports({ ...registration, driver: 'csr' })).toBe(false);
    const signer = {
      type: 'customSigner',
      addonName: 'work',
      signerName: 'example.com/s',
      organizationUnits: [],
    } as const;
    expect(tokenAddon.supports({ ...signer, user: '', groups: [] })).toBe(false);
  });

  it('[addons 119] makes the add-on the user of its service account, without groups', () => {
    expect(tokenAddon.subject?.(identity, registration)).toEqual({
      user: 'system:serviceaccount:c1:work-agent',
      groups: [],
    });
  });

  it('[registration-agent 19.2-26] finds stored credentials usable while their token lasts', () => {
    const clock = new FakeClock(1_500_000);
    const issuer = tokenAddon.create(
      {
        identity,
        options: { addonTokenExpirationSeconds: 3600 },
        addon: { current: () => undefined, changes: NEVER },
        clock,
        log: silentLogger,
        random: () => 0,
      },
      registration,
    );
    const token = serviceAccountToken({ iat: 1000, exp: 2000, uid: 'u' });
    expect(issuer.evaluate({ token })).toEqual({ usable: true, expiresAt: 2_000_000 });
    expect(issuer.evaluate({})).toMatchObject({ usable: false, reason: 'Missing' });
    expect(issuer.evaluate({ token: serviceAccountToken({ iat: 100, exp: 200, uid: 'u' }) })).toMatchObject({
      usable: false,
      reason: 'Expired',
    });
  });
});
