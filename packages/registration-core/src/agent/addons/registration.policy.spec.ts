import type { ManagedClusterAddOn } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { addonHealth } from './health.controller.ts';
import { installNamespaceOf, isHosted, registrationConfigs, withDriver } from './registration.policy.ts';

const addon = (
  status: ManagedClusterAddOn['status'] = {},
  annotations?: Record<string, string>,
): ManagedClusterAddOn => ({
  metadata: { name: 'work', namespace: 'c1', ...(annotations && { annotations }) },
  spec: {},
  status,
});
const signerName = 'example.com/signer1';

describe('the registrations of an add-on', () => {
  it('[registration-agent 19.9-85, 19.9-86] have a secret each, named as OCM names it', () => {
    const configs = registrationConfigs(
      addon({
        registrations: [
          { type: 'kubeClient', kubeClient: {} },
          { type: 'customSigner', customSigner: { signerName, subject: { user: 'u', organizationUnits: ['ou'] } } },
        ],
      }),
      'csr',
    );
    expect(configs.map(({ secretName, namespace }) => `${namespace}/${secretName}`)).toEqual([
      'open-cluster-management-agent-addon/work-hub-kubeconfig',
      'open-cluster-management-agent-addon/work-example.com-signer1-client-cert',
    ]);
    expect(configs[1]?.registration).toEqual({
      type: 'customSigner',
      addonName: 'work',
      signerName,
      user: 'u',
      groups: [],
      organizationUnits: ['ou'],
    });
  });

  it('[registration-agent 19.9-94] [addons 121] are left out if incomplete or unknown, and the others are served', () => {
    const registrations: NonNullable<ManagedClusterAddOn['status']>['registrations'] = [
      { type: 'kubeClient' },
      { type: 'customSigner' },
      { type: 'customSigner', customSigner: { signerName: '' } },
      // An API of tomorrow may have it.
      JSON.parse('{"type":"magic","magic":{}}'),
      { type: 'customSigner', customSigner: { signerName } },
    ];
    const configs = registrationConfigs(addon({ registrations }), 'csr');
    expect(configs.map(({ secretName }) => secretName)).toEqual(['work-example.com-signer1-client-cert']);
    expect(registrationConfigs(addon(), 'csr')).toEqual([]);
  });

  it('[registration-agent 19.9-96] are another one if subject, signer, namespace or place differ', () => {
    const idOf = (...given: Parameters<typeof addon>) => registrationConfigs(addon(...given), 'csr')[0]?.id;
    const registrations = (user: string) => [{ type: 'kubeClient' as const, kubeClient: { subject: { user } } }];
    const base = idOf({ registrations: registrations('a') });
    expect(idOf({ registrations: registrations('a') })).toBe(base);
    expect(idOf({ registrations: registrations('b') })).not.toBe(base);
    expect(idOf({ registrations: registrations('a'), namespace: 'elsewhere' })).not.toBe(base);
    const hosted = { 'addon.open-cluster-management.io/hosting-cluster-name': 'host' };
    expect(idOf({ registrations: registrations('a') }, hosted)).not.toBe(base);
  });

  it('[addons Q7] of a template are on the managed cluster, whatever the hosting annotation says', () => {
    const hosting = { 'addon.open-cluster-management.io/hosting-cluster-name': 'host' };
    const reference = (resource: string) => ({
      configReferences: [{ group: 'addon.open-cluster-management.io', resource, lastObservedGeneration: 1 }],
    });
    expect(isHosted(addon(reference('addondeploymentconfigs'), hosting))).toBe(true);
    expect(isHosted(addon(reference('addontemplates'), hosting))).toBe(false);
  });

  it('are in the namespace of the status, the annotation, or the default', () => {
    const annotations = { 'addon.open-cluster-management.io/v1alpha1-install-namespace': 'annotated' };
    expect(installNamespaceOf(addon({ namespace: 'status' }, annotations))).toBe('status');
    expect(installNamespaceOf(addon({}, annotations))).toBe('annotated');
    expect(installNamespaceOf(addon())).toBe('open-cluster-management-agent-addon');
  });

  it('are another one if another driver serves them', () => {
    const asking = addon({ registrations: [{ type: 'kubeClient', kubeClient: {} }] });
    expect(registrationConfigs(asking, 'token')[0]?.id).not.toBe(registrationConfigs(asking, 'csr')[0]?.id);
  });

  it('name the driver by which the cluster serves them', () => {
    const withCsr = (asking: ManagedClusterAddOn) =>
      withDriver(asking, { auth: 'csr', statusAuth: 'csr' }, () => undefined);
    expect(withCsr(addon())).toBeUndefined();
    expect(withCsr(addon({ registrations: [{ type: 'kubeClient' }] }))).toEqual([
      { type: 'kubeClient', kubeClient: { driver: 'csr' } },
    ]);
    const done = addon({ registrations: [{ type: 'kubeClient', kubeClient: { driver: 'csr' } }] });
    expect(withCsr(done)).toBeUndefined();
  });

  it('name the subject that their driver wants', () => {
    const user = 'system:serviceaccount:c1:work-agent';
    const asking = addon({
      registrations: [{ type: 'kubeClient', kubeClient: { subject: { user: 'u', groups: ['g'] } } }],
    });
    expect(withDriver(asking, { auth: 'token', statusAuth: 'token' }, () => ({ user, groups: [] }))).toEqual([
      { type: 'kubeClient', kubeClient: { driver: 'token', subject: { user } } },
    ]);
  });

  it('forget the subject of the auth type that served them before', () => {
    const subject = { user: 'system:serviceaccount:c1:work-agent' };
    const served = addon({ registrations: [{ type: 'kubeClient', kubeClient: { driver: 'token', subject } }] });
    expect(withDriver(served, { auth: 'csr', statusAuth: 'csr' }, () => undefined)).toEqual([
      { type: 'kubeClient', kubeClient: { driver: 'csr' } },
    ]);
    const declared = addon({ registrations: [{ type: 'kubeClient', kubeClient: { subject: { user: 'u' } } }] });
    expect(withDriver(declared, { auth: 'csr', statusAuth: 'csr' }, () => undefined)).toEqual([
      { type: 'kubeClient', kubeClient: { driver: 'csr', subject: { user: 'u' } } },
    ]);
  });

  it('stay as they are for an auth type that the API has no word for', () => {
    expect(
      withDriver(
        addon({ registrations: [{ type: 'kubeClient' }] }),
        { auth: 'passphrase', statusAuth: 'passphrase' },
        () => undefined,
      ),
    ).toBeUndefined();
  });
});

describe('the health of an add-on', () => {
  it.each([
    ['Unknown', undefined, 'ManagedClusterAddOnLeaseNotFound'],
    ['True', 299, 'ManagedClusterAddOnLeaseUpdated'],
    ['False', 300, 'ManagedClusterAddOnLeaseUpdateStopped'],
  ])('[registration-agent 19.9-98] [addons 105] is %s with a lease of %s s', (status, age, reason) => {
    const lease = age === undefined ? undefined : { metadata: { name: 'work' } };
    expect(addonHealth('work', lease, (age ?? 0) * 1000)).toMatchObject({ type: 'Available', status, reason });
  });
});
