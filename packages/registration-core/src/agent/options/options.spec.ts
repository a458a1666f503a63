import { featureGateValues } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { resolveOptions } from './options.ts';

describe('the options of an agent', () => {
  const namespace = 'ns';
  it('[registration-agent 19.1-1] refuse addresses that are not https', () => {
    const spokeExternalServerUrls = ['https://127.0.0.1:64433', 'http://127.0.0.1:8080'];
    expect(() => resolveOptions({ namespace, spokeExternalServerUrls, spokeCaBundle: 'ca' })).toThrow(
      '"http://127.0.0.1:8080" is invalid',
    );
  });

  it('[registration-agent 19.1-2] refuse a period of nothing', () => {
    expect(() => resolveOptions({ namespace, clusterHealthCheckPeriodMs: 0 })).toThrow(
      'cluster healthcheck period must greater than zero',
    );
  });

  it('[registration-agent 19.1-12] want a CA bundle only with addresses', () => {
    expect(() => resolveOptions({ namespace, spokeExternalServerUrls: ['https://a'] })).toThrow('no CA bundle');
    expect(resolveOptions({ namespace })).not.toHaveProperty('spokeCaBundle');
  });

  it('[registration-agent 19.1-3] have the defaults of OCM', () => {
    expect(resolveOptions({ namespace })).toMatchObject({
      hubKubeconfigSecret: 'hub-kubeconfig-secret',
      clusterHealthCheckPeriodMs: 60_000,
      maxCustomClusterClaims: 20,
    });
    expect(featureGateValues('spoke-registration', { MultipleHubs: true, Unknown: true })).toEqual({
      ClusterClaim: true,
      ClusterProperty: false,
      AddonManagement: true,
      V1beta1CSRAPICompatibility: false,
      MultipleHubs: true,
      ClusterProxy: false,
    });
  });
});
