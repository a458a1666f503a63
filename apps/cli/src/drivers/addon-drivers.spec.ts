import type { Klusterlet } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { addonDrivers, addonEntry, addonFlags } from './addon-drivers.ts';

const joinedBefore = (entry: object): Klusterlet => ({
  metadata: { name: 'klusterlet' },
  spec: { registrationConfiguration: { addOnKubeClientRegistrationDriver: entry } },
});

describe('how add-ons of a cluster get access to the hub', () => {
  it('is not said unless a flag says it', () => {
    expect(addonEntry({}, undefined)).toBeUndefined();
    expect(addonFlags(undefined)).toEqual({});
  });

  it('is as a flag says, and reaches the agent', () => {
    const entry = addonEntry(
      { addonKubeclientRegistrationAuth: 'token', addonTokenExpirationSeconds: 7200 },
      undefined,
    );
    expect(entry).toEqual({ authType: 'token', token: { expirationSeconds: 7200 } });
    expect(addonFlags(entry)).toEqual({
      'addon-kubeclient-registration-auth': 'token',
      'addon-token-expiration-seconds': '7200',
    });
  });

  it('stays as an earlier join chose it, until a flag says otherwise', () => {
    const earlier = joinedBefore({ authType: 'token', token: { expirationSeconds: 7200 } });
    expect(addonEntry({}, earlier)).toEqual({ authType: 'token', token: { expirationSeconds: 7200 } });
    expect(addonEntry({ addonTokenExpirationSeconds: 600 }, earlier)).toEqual({
      authType: 'token',
      token: { expirationSeconds: 600 },
    });
    expect(addonEntry({ addonKubeclientRegistrationAuth: 'csr' }, earlier)).toEqual({ authType: 'csr' });
  });

  it.each([
    [{ addonKubeclientRegistrationAuth: 'magic' }, '--addon-kubeclient-registration-auth magic is not known'],
    [{ addonTokenExpirationSeconds: 7200 }, '--addon-token-expiration-seconds has no effect without tokens'],
    [
      { addonKubeclientRegistrationAuth: 'token', addonTokenExpirationSeconds: 599 },
      '--addon-token-expiration-seconds is 599, and the API server gives no token for less than 600',
    ],
  ])('is refused: %j', (options, error) => {
    expect(() => addonEntry(options, undefined)).toThrow(error);
  });

  it('is by certificate or by token for an agent that runs here', () => {
    expect(addonDrivers({}).flatMap(({ addon }) => (addon ? [addon.authType] : []))).toEqual(['csr', 'token']);
  });
});
