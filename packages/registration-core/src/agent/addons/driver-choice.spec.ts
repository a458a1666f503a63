import { describe, expect, it } from 'vitest';
import type { AddonRegistration } from '../../contract/index.ts';
import type { BoundDriver } from '../options/bound-driver.ts';
import { addonDriverChoice } from './driver-choice.ts';

const driver = (authType: string, supports: (registration: AddonRegistration) => boolean): BoundDriver => ({
  authType,
  addon: {
    authType,
    supports,
    create() {
      throw new Error('not in this test');
    },
  },
});
const csr = driver('csr', (registration) => registration.type === 'customSigner' || registration.driver === 'csr');
const token = driver('token', (registration) => registration.type === 'kubeClient' && registration.driver === 'token');
const kubeClient = (auth: string): AddonRegistration => ({
  type: 'kubeClient',
  driver: auth,
  addonName: 'work',
  user: '',
  groups: [],
});
const customSigner: AddonRegistration = {
  type: 'customSigner',
  addonName: 'work',
  signerName: 'example.com/s',
  user: '',
  groups: [],
  organizationUnits: [],
};

describe('the driver of an add-on', () => {
  it('is the first that serves add-ons unless a flag says otherwise', () => {
    expect(addonDriverChoice([{ authType: 'grpc' }, csr, token], undefined).auth).toBe('csr');
    expect(addonDriverChoice([csr, token], 'token').auth).toBe('token');
  });

  it('is the one that supports the registration', () => {
    const choice = addonDriverChoice([csr, token], 'token');
    expect(choice.find(kubeClient('token'))).toBe(token.addon);
    expect(choice.find(customSigner)).toBe(csr.addon);
    expect(addonDriverChoice([token], undefined).find(customSigner)).toBeUndefined();
  });

  it('of its cluster is not for clusters that register otherwise, and has a word of the API in the status', () => {
    const grpc = driver('grpc', (registration) => registration.type === 'kubeClient' && registration.driver === 'grpc');
    const addon = grpc.addon && { ...grpc.addon, needsClusterDriver: true, statusDriver: 'csr' };
    const overConnection: BoundDriver = { authType: 'grpc', ...(addon && { addon }) };
    expect(addonDriverChoice([overConnection, csr], undefined)).toMatchObject({ auth: 'grpc', statusAuth: 'csr' });
    expect(addonDriverChoice([overConnection, csr], undefined).find(customSigner)).toBe(csr.addon);
    expect(addonDriverChoice([overConnection, csr], 'csr')).toMatchObject({ auth: 'csr', statusAuth: 'csr' });
    expect(addonDriverChoice([csr, overConnection], undefined).auth).toBe('csr');
    expect(() => addonDriverChoice([csr, overConnection], 'grpc')).toThrow('unsupported');
  });

  it.each(['token', 'magic'])('is refused if no driver serves it: %j', (auth) => {
    expect(() => addonDriverChoice([csr], auth)).toThrow(`unsupported addon-kubeclient-registration-auth: ${auth}`);
  });
});
