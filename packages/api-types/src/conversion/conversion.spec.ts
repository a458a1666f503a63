import { toValidatedKind } from '@flotilla/schema/define';
import { arbitraryObject, createRandom } from '@flotilla/schema/testing';
import { describe, expect, it } from 'vitest';
import {
  type ClusterManagementAddOn,
  type ManagedClusterAddOn,
  type ManagedClusterAddOnV1alpha1,
  managedClusterAddOnsV1alpha1,
} from '../index.ts';
import { clusterManagementAddOnKind } from '../kinds/addon/cluster-management-add-on.ts';
import { clusterManagementAddOnV1alpha1Kind } from '../kinds/addon/cluster-management-add-on.v1alpha1.ts';
import { managedClusterAddOnKind } from '../kinds/addon/managed-cluster-add-on.ts';
import { managedClusterAddOnV1alpha1Kind } from '../kinds/addon/managed-cluster-add-on.v1alpha1.ts';
import { check } from '../kinds/index.ts';
import { convertObject, managedClusterAddOnVersions } from './index.ts';

const group = 'addon.open-cluster-management.io';
const alpha = `${group}/v1alpha1`;
const beta = `${group}/v1beta1`;
const annotation = `${group}/v1alpha1-install-namespace`;

const addOn = (parts: object) => ({ kind: 'ManagedClusterAddOn', metadata: { name: 'a', namespace: 'c1' }, ...parts });
const management = (parts: object) => ({ kind: 'ClusterManagementAddOn', metadata: { name: 'a' }, ...parts });

describe('ClusterManagementAddOn', () => {
  it('[addons 1] shows a supported config as a default config, and one that is added there as supported', () => {
    const supported = { group, resource: 'addondeploymentconfigs', defaultConfig: { name: 'test-config' } };
    const old = management({ apiVersion: alpha, spec: { supportedConfigs: [supported] } });
    const shown: ClusterManagementAddOn = convertObject(old, beta) as ClusterManagementAddOn;
    expect(shown.spec?.defaultConfigs).toEqual([{ group, resource: 'addondeploymentconfigs', name: 'test-config' }]);
    const more = { group: 'g.example', resource: 'things', namespace: 'n', name: 'x' };
    const added = { ...shown, spec: { defaultConfigs: [...(shown.spec?.defaultConfigs ?? []), more] } };
    expect(convertObject(added, alpha)).toMatchObject({
      spec: {
        supportedConfigs: [
          supported,
          { group: 'g.example', resource: 'things', defaultConfig: { namespace: 'n', name: 'x' } },
        ],
      },
    });
  });

  it('[addons 2] names a config without a default by a word that stands for none', () => {
    const old = management({ apiVersion: alpha, spec: { supportedConfigs: [{ group, resource: 'r' }] } });
    const shown = convertObject(old, beta);
    expect(shown).toMatchObject({
      spec: { defaultConfigs: [{ group, resource: 'r', name: '__reserved_no_default__' }] },
    });
    expect(convertObject(shown, alpha)).toEqual(old);
  });

  it('[addons 3] keeps an empty list empty both ways', () => {
    const old = management({ apiVersion: alpha, spec: { supportedConfigs: [] } });
    const shown = convertObject(old, beta);
    expect(shown).toMatchObject({ spec: { defaultConfigs: [] } });
    expect(convertObject(shown, alpha)).toEqual(old);
  });

  it('[addons 4] keeps progressions, and spells default references as each version does', () => {
    const desiredConfig = { name: 'x', specHash: 'h' };
    const installProgressions = [
      { namespace: 'n', name: 'p', configReferences: [{ group, resource: 'r', desiredConfig }], conditions: [] },
    ];
    const references = [{ group, resource: 'r', desiredConfig }];
    const written = management({
      apiVersion: beta,
      spec: {},
      status: { installProgressions, defaultConfigReferences: references },
    });
    expect(convertObject(written, alpha)).toEqual(
      management({
        apiVersion: alpha,
        spec: {},
        status: { installProgressions, defaultconfigReferences: references },
      }),
    );
  });
});

describe('ManagedClusterAddOn', () => {
  it('[addons 5] carries the install namespace in an annotation, and back', () => {
    const old = addOn({ apiVersion: alpha, spec: { installNamespace: 'test-install-ns' } });
    const shown = convertObject(old, beta);
    expect(shown).toEqual(
      addOn({
        apiVersion: beta,
        metadata: { name: 'a', namespace: 'c1', annotations: { [annotation]: 'test-install-ns' } },
        spec: {},
      }),
    );
    expect(convertObject(shown, alpha)).toEqual({ ...old, metadata: { ...old.metadata, annotations: {} } });
  });

  it('[addons 6] takes away the internal annotation only', () => {
    const annotations = { [annotation]: 'ns', mine: 'kept' };
    const shown = addOn({ apiVersion: beta, metadata: { name: 'a', annotations }, spec: {} });
    expect(convertObject(shown, alpha)).toMatchObject({
      metadata: { annotations: { mine: 'kept' } },
      spec: { installNamespace: 'ns' },
    });
    expect(convertObject(shown, alpha).metadata?.annotations).toEqual({ mine: 'kept' });
  });

  it('[addons 7, 8] [registration-agent 90] distinguishes registrations by their signer, with the driver of hub clients and organization units', () => {
    const old = addOn({
      apiVersion: alpha,
      spec: {},
      status: {
        kubeClientDriver: 'token',
        registrations: [
          { signerName: 'kubernetes.io/kube-apiserver-client', subject: { user: 'u', groups: ['g'] } },
          { signerName: 'example.com/signer', subject: { user: 'v', organizationUnit: ['ou'] } },
        ],
      },
    });
    const shown = convertObject(old, beta);
    expect(shown).toMatchObject({
      status: {
        registrations: [
          { type: 'kubeClient', kubeClient: { subject: { user: 'u', groups: ['g'] }, driver: 'token' } },
          {
            type: 'customSigner',
            customSigner: { signerName: 'example.com/signer', subject: { user: 'v', organizationUnits: ['ou'] } },
          },
        ],
      },
    });
    expect(convertObject(shown, alpha)).toEqual(old);
  });

  it('[addons 9] fills the flat name and namespace of a reference from its desired config', () => {
    const desiredConfig = { namespace: 'n', name: 'x', specHash: 'h' };
    const shown = addOn({
      apiVersion: beta,
      spec: {},
      status: { configReferences: [{ group, resource: 'r', desiredConfig }] },
    });
    const old = convertObject(shown, alpha);
    expect(old).toMatchObject({ status: { configReferences: [{ namespace: 'n', name: 'x', desiredConfig }] } });
    expect(convertObject(old, beta)).toEqual(shown);
  });
});

const versions = [
  ['ManagedClusterAddOn', managedClusterAddOnKind],
  ['ClusterManagementAddOn', clusterManagementAddOnKind],
] as const;

describe.each(versions)('any v1beta1 %s', (_, definition) => {
  it('is the same after it was stored as v1alpha1', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const object = { ...arbitraryObject(toValidatedKind(definition), createRandom(seed)), apiVersion: beta };
      const stored = convertObject(object, alpha);
      const again = convertObject(stored, beta);
      expect(comparable(again), `seed ${seed}`).toEqual(comparable(object));
      expect(comparable(convertObject(convertObject(again, alpha), beta)), `seed ${seed}`).toEqual(comparable(again));
    }
  });
});

const older = [
  ['ManagedClusterAddOn', managedClusterAddOnV1alpha1Kind],
  ['ClusterManagementAddOn', clusterManagementAddOnV1alpha1Kind],
] as const;

describe.each(older)('any v1alpha1 %s', (_, definition) => {
  it('loses only fields without a counterpart when it is read as v1beta1', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const object = { ...arbitraryObject(toValidatedKind(definition), createRandom(seed)), apiVersion: alpha };
      const again = convertObject(convertObject(object, beta), alpha);
      expect(keptOf(again), `seed ${seed}`).toEqual(keptOf(object));
    }
  });
});

/**
 * What OCM keeps of a v1alpha1 object: not addOnConfiguration, nor organization units of hub clients, nor the driver of hub
 * clients where there are none; the flat name of a reference is that of its desired config.
 */
function keptOf(object: object): object {
  const { spec, status, metadata, ...rest } = object as ManagedClusterAddOnV1alpha1;
  const { addOnConfiguration: _, ...keptSpec } = { addOnConfiguration: undefined, ...spec };
  const { addOnConfiguration: _a, registrations, configReferences, kubeClientDriver, ...kept } = status ?? {};
  const isHubClient = (signerName: string) => signerName === 'kubernetes.io/kube-apiserver-client';
  const keptStatus = {
    ...kept,
    configReferences: configReferences?.map(({ name: _n, namespace: _s, ...reference }) => reference),
    registrations: registrations?.map(({ signerName, subject }) => {
      const { organizationUnit, ...who } = subject ?? {};
      return { signerName, who, units: isHubClient(signerName) ? undefined : organizationUnit };
    }),
    driver: registrations?.some(({ signerName }) => isHubClient(signerName)) ? kubeClientDriver : undefined,
  };
  const annotations = Object.keys(metadata?.annotations ?? {}).length > 0 ? metadata?.annotations : undefined;
  return { ...rest, spec: keptSpec, metadata: { ...metadata, annotations }, status: status && keptStatus };
}

/** What v1alpha1 cannot distinguish: drivers of single hub clients, and a custom signer that is the hub's own. */
function comparable(object: object): object {
  const { status, metadata, ...rest } = object as ManagedClusterAddOn;
  const registrations = status?.registrations?.map(({ type, kubeClient, customSigner }) => {
    const { signerName = '', subject } = customSigner ?? {};
    if (type === 'customSigner' && signerName !== 'kubernetes.io/kube-apiserver-client')
      return { type, signerName, subject };
    const { user, groups } = (type === 'kubeClient' ? kubeClient?.subject : subject) ?? {};
    return { type: 'kubeClient', user, groups };
  });
  const annotations = Object.keys(metadata?.annotations ?? {}).length > 0 ? metadata?.annotations : undefined;
  return { ...rest, metadata: { ...metadata, annotations }, status: status && { ...status, registrations } };
}

it('what is made of a v1beta1 add-on is a v1alpha1 one', () => {
  const shown = addOn({
    apiVersion: beta,
    spec: { configs: [{ resource: 'r', name: 'x' }] },
    status: { registrations: [{ type: 'kubeClient', kubeClient: { driver: 'csr' } }] },
  });
  const old = convertObject(shown, alpha) as ManagedClusterAddOnV1alpha1;
  expect(check(managedClusterAddOnsV1alpha1, old).errors).toEqual([]);
});

it('a kind or version that is not known is refused by name', () => {
  expect(() => convertObject({ kind: 'Other', apiVersion: alpha }, beta)).toThrow(/Other of .*v1alpha1 cannot be/);
  expect(() => convertObject(addOn({ apiVersion: alpha }), `${group}/v2`)).toThrow(/cannot be converted to/);
});

describe('on a server with v1alpha1 only', () => {
  const owner = { kind: 'ClusterManagementAddOn', name: 'a', uid: 'u', controller: true };
  const other = { apiVersion: beta, kind: 'Other', name: 'a', uid: 'v' };
  const withOwner = (apiVersion: string) => ({
    metadata: { name: 'a', namespace: 'c1', ownerReferences: [{ ...owner, apiVersion }, other] },
    spec: {},
  });

  it('an add-on names its owner in the version that is served, for garbage collection, and is read as if in the newer one', () => {
    const { toServed, fromServed } = managedClusterAddOnVersions;
    expect(toServed(withOwner(beta)).metadata).toEqual(withOwner(alpha).metadata);
    expect(fromServed(withOwner(alpha)).metadata).toEqual(withOwner(beta).metadata);
  });

  it('the conversion of the hub leaves owners as they are', () => {
    const object = { ...withOwner(beta), apiVersion: beta, kind: 'ManagedClusterAddOn' };
    expect(convertObject(object, alpha).metadata).toEqual(object.metadata);
  });
});
