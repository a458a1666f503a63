import type { Condition } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { acceptedAuthAnnotation, authTypeAnnotation, type PolicySubject } from '../../contract/index.ts';
import { newCluster } from '../fixtures/running-hub.ts';
import { type AcceptingDriver, acceptedDrivers, type RegistrationFacts } from './accepted-drivers.policy.ts';

const group = (name: string): PolicySubject => ({ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name });

/** A driver that claims the clusters that declare it, and those that declare nothing if it `isDefault`. */
const driverOf = (authType: string, groupPrefix: string, isDefault = false): AcceptingDriver => ({
  authType,
  accepts: ({ metadata }) => {
    const declared = metadata?.annotations?.[authTypeAnnotation];
    return declared === authType || (isDefault && declared === undefined) ? 'accept' : 'not mine';
  },
  subjects: (cluster) => [group(groupPrefix + cluster)],
  clusterRules: () => [],
});
const csr = driverOf('csr', 'system:', true);
const grpc = driverOf('grpc', 'system:', true);
const weak = driverOf('weak', 'weak:');

const clusterOf = (
  declared?: string,
  joined: Condition['status'] = 'False',
  available: Condition['status'] = 'Unknown',
) => {
  const rest = { reason: 'x', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
  return newCluster('c1', {
    metadata: { name: 'c1', ...(declared && { annotations: { [authTypeAnnotation]: declared } }) },
    status: {
      conditions: [
        { type: 'ManagedClusterJoined', status: joined, ...rest },
        { type: 'ManagedClusterConditionAvailable', status: available, ...rest },
      ],
    },
  });
};
const namespaceOf = (record: string) => ({
  metadata: { name: 'c1', annotations: { [acceptedAuthAnnotation]: record } },
});
const bindingOf = (...names: string[]) => ({
  metadata: { name: 'b' },
  subjects: names.map(group),
  roleRef: { apiGroup: '', kind: 'ClusterRole', name: 'r' },
});

const facts = (parts: Partial<RegistrationFacts>): RegistrationFacts => ({
  drivers: [csr, grpc, weak],
  namespace: undefined,
  binding: undefined,
  isNew: false,
  ...parts,
});

describe('the drivers that a cluster is bound by', () => {
  it.each([
    // What is accepted.
    ['are those that claim it, when it declares nothing', clusterOf(), { isNew: true }, ['csr', 'grpc'], undefined],
    ['are recorded at once when it declares one', clusterOf('weak'), { isNew: true }, ['weak'], 'weak'],
    ['are none while no driver claims it', clusterOf('foreign'), { isNew: true }, [], undefined],
    [
      'follow what an accepted cluster declares before it joins',
      clusterOf('weak'),
      { binding: bindingOf('system:c1') },
      ['weak'],
      'weak',
    ],
    // What is kept.
    [
      'are recorded when it joins without a declaration',
      clusterOf(undefined, 'True'),
      { binding: bindingOf('system:c1') },
      ['csr', 'grpc'],
      'csr,grpc',
    ],
    [
      'do not change by what it declares after it joined',
      clusterOf('weak', 'True'),
      { binding: bindingOf('system:c1'), namespace: namespaceOf('csr') },
      ['csr', 'grpc'],
      'csr',
    ],
    [
      'do not change when its agent clears the condition Joined',
      clusterOf('weak'),
      { binding: bindingOf('system:c1'), namespace: namespaceOf('csr') },
      ['csr', 'grpc'],
      'csr',
    ],
    [
      'do not change when its binding was deleted',
      clusterOf('weak'),
      { namespace: namespaceOf('csr') },
      ['csr', 'grpc'],
      'csr',
    ],
    // A hub that kept no records.
    [
      'are those that an earlier hub bound, and not one that is enabled since',
      clusterOf('weak', 'True'),
      { binding: bindingOf('system:c1') },
      ['csr', 'grpc'],
      'csr,grpc',
    ],
    [
      'are all that an earlier hub bound, because it does not say which one is in use',
      clusterOf(undefined, 'True'),
      { binding: bindingOf('system:c1', 'weak:c1') },
      ['csr', 'grpc', 'weak'],
      'csr,grpc,weak',
    ],
    [
      'are all that an earlier hub bound while the agent is silent',
      clusterOf('weak', 'True'),
      { binding: bindingOf('system:c1', 'weak:c1') },
      ['csr', 'grpc', 'weak'],
      'csr,grpc,weak',
    ],
    [
      'are all that an earlier hub bound, also where an available cluster declares one: the issuer of any of them can write that',
      clusterOf('weak', 'True', 'True'),
      { binding: bindingOf('system:c1', 'weak:c1') },
      ['csr', 'grpc', 'weak'],
      'csr,grpc,weak',
    ],
    [
      'are all those recorded, also where an available cluster declares one of them',
      clusterOf('grpc', 'True', 'True'),
      { namespace: namespaceOf('csr,grpc,weak') },
      ['csr', 'grpc', 'weak'],
      'csr,grpc,weak',
    ],
    [
      'are all those recorded where the agent declares none',
      clusterOf(undefined, 'True', 'True'),
      { namespace: namespaceOf('csr,grpc,weak') },
      ['csr', 'grpc', 'weak'],
      'csr,grpc,weak',
    ],
    // Moves.
    [
      'include another driver of the same subjects',
      clusterOf('grpc', 'True'),
      { namespace: namespaceOf('csr') },
      ['csr', 'grpc'],
      'csr',
    ],
    [
      'are decided anew where the hub offers none of those recorded',
      clusterOf('grpc', 'True'),
      { drivers: [grpc, weak], namespace: namespaceOf('csr') },
      ['grpc'],
      'grpc',
    ],
    [
      'are what it declares when it is accepted again after it was denied',
      clusterOf('weak', 'True'),
      { isNew: true, namespace: namespaceOf('csr'), binding: bindingOf('system:c1') },
      ['weak'],
      'weak',
    ],
  ])('%s', (_, cluster, known, drivers, record) => {
    const choice = acceptedDrivers(cluster, facts(known));
    expect(choice.drivers.map(({ authType }) => authType)).toEqual(drivers);
    expect(choice.record).toBe(record);
  });

  it('name the declaration that has no effect, and no move between drivers of the same subjects', () => {
    const namespace = namespaceOf('csr');
    expect(acceptedDrivers(clusterOf('weak', 'True'), facts({ namespace })).refused).toEqual({
      declared: 'weak',
      accepted: 'csr',
    });
    expect(acceptedDrivers(clusterOf('grpc', 'True'), facts({ namespace })).refused).toBeUndefined();
  });

  it.each([
    ['name those of a cluster that several issuers can act as', namespaceOf('csr,grpc,weak'), ['csr', 'grpc', 'weak']],
    ['name none where all of them have the same subjects', namespaceOf('csr,grpc'), undefined],
  ])('%s', (_, namespace, several) => {
    expect(acceptedDrivers(clusterOf('weak', 'True'), facts({ namespace })).several).toEqual(several);
  });
});
