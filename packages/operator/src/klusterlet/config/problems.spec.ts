import type { Klusterlet } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { componentGates } from './feature-gates.ts';
import { problemsOf } from './problems.ts';
import { countNodes, replicasFor } from './replicas.policy.ts';

type Registration = NonNullable<NonNullable<Klusterlet['spec']>['registrationConfiguration']>;

const several = [{ feature: 'MultipleHubs', mode: 'Enable' as const }];
const listing = (...names: string[]): Registration => ({
  featureGates: several,
  bootstrapKubeConfigs: {
    type: 'LocalSecrets',
    localSecretsConfig: { kubeConfigSecrets: names.map((name) => ({ name })) },
  },
});
const problems = (registrationConfiguration: Registration, more: Klusterlet['spec'] = {}) =>
  problemsOf({ metadata: { name: 'k' }, spec: { ...more, registrationConfiguration } });

describe('a Klusterlet that no agent can run with names the field and what to do', () => {
  it.each<[string, string[], RegExp[]]>([
    [
      'an unknown mode',
      problems({}, { deployOption: { mode: 'Remote' } }),
      [/spec\.deployOption\.mode is "Remote": use Default/],
    ],
    [
      '[cli D21] several hubs without a list',
      problems({ featureGates: several }),
      [/bootstrapKubeConfigs\.type is "None".*use LocalSecrets/],
    ],
    [
      'several hubs without Secrets, on which OCM crashes',
      problems({ featureGates: several, bootstrapKubeConfigs: { type: 'LocalSecrets' } }),
      [/kubeConfigSecrets has 0 entries.*at least two/],
    ],
    ['one hub in the list', problems(listing('a')), [/has 1 entries/]],
    ['a hub twice', problems(listing('a', 'a')), [/names "a" twice/]],
    [
      'a Secret with the name of a directory',
      problems(listing('a', 'config')),
      [/"config", a directory of the agents/],
    ],
    ['two hubs', problems(listing('a', 'b')), []],
    [
      'the driver awsirsa without ARNs',
      problems({ registrationDriver: { authType: 'awsirsa' } }),
      [/awsIrsa is missing/],
    ],
    [
      '[cli D20] ARNs that are none',
      problems({
        registrationDriver: { authType: 'awsirsa', awsIrsa: { hubClusterArn: 'x', managedClusterArn: 'y' } },
      }),
      [/hubClusterArn "x" and managedClusterArn "y": both must be like arn:aws:eks/],
    ],
    [
      'gRPC with several hubs',
      problems({ ...listing('a', 'b'), registrationDriver: { authType: 'grpc' } }),
      [/one hub/],
    ],
    ['an address without TLS', problems({}, { externalServerURLs: [{ url: 'http://a' }] }), [/has "http:\/\/a"/]],
    ['nothing wrong', problems({}), []],
  ])('%s', (_, found, expected) => {
    expect(found).toHaveLength(expected.length);
    for (const [at, text] of expected.entries()) expect(found[at]).toMatch(text);
  });

  it('a hosted one whose name is not one for a namespace', () => {
    const found = problemsOf({ metadata: { name: 'a.b' }, spec: { deployOption: { mode: 'Hosted' } } });
    expect(found).toEqual([expect.stringMatching(/metadata\.name is "a\.b"/)]);
  });
});

describe('feature gates', () => {
  it('are known by component, and the last of two wins', () => {
    const gates = componentGates('spoke-registration', [
      { feature: 'ClusterProperty', mode: 'Disable' },
      { feature: 'ClusterProperty', mode: 'Enable' },
      { feature: 'RawFeedbackJsonString', mode: 'Enable' },
    ]);
    expect(gates.flags).toEqual(['ClusterProperty=true']);
    expect(gates.invalid).toEqual(['RawFeedbackJsonString']);
  });
});

describe('replicas', () => {
  it.each([
    [0, 1],
    [1, 1],
    [2, 3],
    [3, 3],
  ])('[cli D09] with %i nodes of the control plane are %i', (nodes, replicas) => {
    expect(replicasFor(nodes)).toBe(replicas);
  });

  it('count a node with two labels once', () => {
    const node = (name: string) => ({ metadata: { name } });
    expect(countNodes([node('a'), node('b')], [node('b')])).toBe(2);
  });
});
