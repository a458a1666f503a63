import { describe, expect, it } from 'vitest';
import { type FeatureGateEntry, featureGates, featureGatesOf, gatedKindOf } from './feature-gates.ts';

// What each component of OCM v1.3 prints as its known gates: name=default.
const gatesOfV13 = {
  'hub-registration': [
    'DefaultClusterSet=true',
    'V1beta1CSRAPICompatibility=false',
    'ManagedClusterAutoApproval=false',
    'ResourceCleanup=true',
    'ClusterProfile=false',
    'ClusterImporter=false',
  ],
  'hub-work': [
    'NilExecutorValidating=false',
    'ManifestWorkReplicaSet=false',
    'CloudEventsDrivers=false',
    'CleanUpCompletedManifestWork=false',
  ],
  'hub-addon': ['AddonManagement=true'],
  'hub-placement': ['PlacementDebugServer=false'],
  'spoke-registration': [
    'V1beta1CSRAPICompatibility=false',
    'ClusterClaim=true',
    'ClusterProperty=false',
    'AddonManagement=true',
    'MultipleHubs=false',
  ],
  'spoke-work': ['ExecutorValidatingCaches=false', 'RawFeedbackJsonString=false'],
} as const;

const components = Object.keys(gatesOfV13) as (keyof typeof gatesOfV13)[];

describe('feature gates', () => {
  it.each(components)('of %s are those of OCM v1.3 with their defaults', (component) => {
    expect(featureGatesOf(component).map((name) => `${name}=${featureGates[name].default}`)).toEqual(
      gatesOfV13[component],
    );
  });

  it('belong to at least one component each', () => {
    const all = new Set(components.flatMap(featureGatesOf));
    expect([...all].sort()).toEqual(Object.keys(featureGates).sort());
  });

  it('that are beta are on by default', () => {
    const gates = Object.entries<FeatureGateEntry>(featureGates);
    expect(gates.filter(([, gate]) => gate.stage === 'Beta' && !gate.default)).toEqual([]);
  });

  it('are set on the ClusterManager for the hub and on the Klusterlet for agents', () => {
    expect(components.map(gatedKindOf)).toEqual([
      'ClusterManager',
      'ClusterManager',
      'ClusterManager',
      'ClusterManager',
      'Klusterlet',
      'Klusterlet',
    ]);
  });
});
