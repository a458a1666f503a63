import { describe, expect, it } from 'vitest';
import {
  type FeatureGateEntry,
  featureGateChoices,
  featureGates,
  featureGatesOf,
  featureGateValues,
  gatedKindOf,
} from './feature-gates.ts';

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
  // OCM has a list for it, and no gates.
  'hub-server': [],
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
    const gates = featureGatesOf(component).filter((name) => !('isOwn' in featureGates[name]));
    expect(gates.map((name) => `${name}=${featureGates[name].default}`)).toEqual(gatesOfV13[component]);
  });

  it('have the given value or the default, and leave gates of other components out', () => {
    expect(featureGateValues('spoke-work', { RawFeedbackJsonString: true, MultipleHubs: true })).toEqual({
      ExecutorValidatingCaches: false,
      RawFeedbackJsonString: true,
    });
  });

  it('of all components of a program are offered by its flag', () => {
    const choices = featureGateChoices('spoke-registration', 'spoke-work');
    expect(Object.keys(choices)).toEqual([...featureGatesOf('spoke-registration'), ...featureGatesOf('spoke-work')]);
    expect(choices.ClusterClaim).toEqual({ default: true, stage: 'beta', description: 'Report ClusterClaims.' });
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
      'ClusterManager',
      'Klusterlet',
      'Klusterlet',
    ]);
  });
});
