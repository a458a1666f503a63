import { type Placement, placements } from '@flotilla/api-types';
import { applyDefaults, check } from '@flotilla/api-types/kinds';
import { describeFieldErrors } from '@flotilla/schema/validation';

const placement: Placement = {
  metadata: { name: 'two-near-me', namespace: 'apps' },
  spec: {
    numberOfClusters: 2,
    prioritizerPolicy: {
      configurations: [{ scoreCoordinate: { type: 'BuiltIn', builtIn: 'Steady' }, weight: 11 }],
    },
  },
};

// What kube-apiserver would say, without asking it.
export const report = describeFieldErrors(check(placements, placement).errors);
// spec.prioritizerPolicy.configurations[0].weight: 11 must be at most 10

// What it would store.
export const stored = applyDefaults(placements, placement);
// stored.spec.sortBy === 'ClusterName'
