import type { ClusterManagementAddOn, ManagedCluster, ManagedClusterAddOn } from '@flotilla/api-types';
import type { Condition } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { condition, healthy, now, secondsAgo, workOf } from '../../fixtures/works.ts';
import { explainAddOn } from './explanation.ts';
import type { AddOnFacts } from './facts.ts';
import { renderAddOnExplanation } from './render.ts';

const group = 'addon.open-cluster-management.io';
const template = { group, resource: 'addontemplates', name: 'hello-1' };
const small = { group, resource: 'addondeploymentconfigs', namespace: 'default', name: 'small' };
const large = { ...small, name: 'large' };
const hashA = 'a'.repeat(64);
const hashB = 'b'.repeat(64);

const cluster: ManagedCluster = {
  metadata: { name: 'cluster1' },
  spec: { hubAcceptsClient: true },
  status: {
    conditions: [condition('ManagedClusterJoined', 'True'), condition('ManagedClusterConditionAvailable', 'True')],
  },
};

const offered: ClusterManagementAddOn = {
  metadata: { name: 'hello' },
  spec: { defaultConfigs: [template, small], installStrategy: { type: 'Manual' } },
};

const reference = (config: typeof template | typeof small, specHash: string | undefined, applied = specHash) => {
  const { group: _, resource: __, ...referent } = config;
  return {
    group,
    resource: config.resource,
    desiredConfig: { ...referent, ...(specHash && { specHash }) },
    ...(applied && { lastAppliedConfig: { ...referent, specHash: applied } }),
  };
};

const reported = (type: string, status: Condition['status'], message = '', reason = 'x'): Condition => ({
  ...condition(type, status, message),
  reason,
});

const well = [
  reported('Configured', 'True'),
  reported('RegistrationApplied', 'True'),
  reported('ManifestApplied', 'True'),
  reported('Progressing', 'False', 'completed with no errors.', 'Completed'),
  reported('Available', 'True', 'hello add-on is available.', 'ProbeAvailable'),
];

const addOnOf = (parts: Partial<ManagedClusterAddOn> = {}, conditions: readonly Condition[] = well) =>
  ({
    metadata: { namespace: 'cluster1', name: 'hello' },
    spec: {},
    ...parts,
    status: {
      conditions: [...conditions],
      configReferences: [reference(small, hashA), reference(template, hashB)],
      ...parts.status,
    },
  }) satisfies ManagedClusterAddOn;

const work = (ready: boolean) => {
  const made = ready ? healthy(['a']) : workOf(['a']);
  return { ...made, metadata: { ...made.metadata, name: 'addon-hello-deploy-0' } };
};

const facts = (parts: Partial<AddOnFacts> = {}): AddOnFacts => ({
  name: 'hello',
  clusterName: 'cluster1',
  cluster,
  heartbeat: secondsAgo(5),
  offered,
  addOn: addOnOf(),
  placements: [],
  works: [work(true)],
  exists: () => true,
  now,
  ...parts,
});

/** Without those of some types. */
const without = (...types: string[]): Condition[] => well.filter(({ type }) => !types.includes(type));

describe('the explanation of an add-on', () => {
  it('follows one that is well from what the hub offers to its health', () => {
    expect(renderAddOnExplanation(explainAddOn(facts()))).toBe(
      [
        'Add-on hello on cluster1 is Available, with the configuration that it should have',
        '',
        'cluster       is accepted and Available; its agent last reported 5s ago',
        'install       enabled on this cluster',
        'configs       addondeploymentconfigs default/small, from the defaults of ClusterManagementAddOn hello, hash aaaaaaaaaaaa: applied',
        '              addontemplates hello-1, from the defaults of ClusterManagementAddOn hello, hash bbbbbbbbbbbb: applied',
        'registration  it needs none',
        'works         cluster1/addon-hello-deploy-0: applied and available, 1 manifest',
        'health        Available is True for 60s (ProbeAvailable): hello add-on is available.',
        'waits for     nothing',
        '',
      ].join('\n'),
    );
  });

  it('resolves configurations by layer: the highest that names a kind says all of that kind', () => {
    const placement = { namespace: 'default', name: 'all', configs: [large] };
    const byPlacement = explainAddOn(
      facts({ placements: [{ namespace: 'x', name: 'y', configs: [small] }, placement] }),
    );
    expect(byPlacement.configs.map(({ config, layer }) => [config.name, layer])).toEqual([
      ['large', 'placement'],
      ['hello-1', 'default'],
    ]);
    const own = addOnOf({ spec: { configs: [small, small] } });
    expect(explainAddOn(facts({ placements: [placement], addOn: own })).configs).toMatchObject([
      { config: small, layer: 'cluster', from: 'ManagedClusterAddOn cluster1/hello', state: 'applied' },
      { layer: 'default' },
    ]);
  });

  it('leaves out a default that only says that a kind is supported', () => {
    const none = { ...small, name: '__reserved_no_default__' };
    const onlyTemplate = { ...offered, spec: { defaultConfigs: [template, none] } };
    expect(explainAddOn(facts({ offered: onlyTemplate })).configs).toMatchObject([{ config: template }]);
  });

  const placed = { namespace: 'default', name: 'all', rolloutStrategy: { type: 'Progressive' as const } };
  const byPlacement: ClusterManagementAddOn = {
    metadata: { name: 'hello' },
    spec: { installStrategy: { type: 'Placements', placements: [placed] } },
    status: {
      installProgressions: [
        { namespace: 'default', name: 'all', conditions: [reported('Progressing', 'True', 'selected clusters 4.')] },
      ],
    },
  };

  const waits: Record<string, [Partial<AddOnFacts>, string, string?]> = {
    'an add-on that the hub does not offer': [
      { offered: undefined, addOn: undefined },
      'the hub to offer it: there is no ClusterManagementAddOn hello',
      'flotilla addon create',
    ],
    'one that is not enabled': [
      { addOn: undefined },
      'being enabled on this cluster',
      'flotilla addon enable --names hello --clusters cluster1',
    ],
    'one whose placement does not select the cluster': [
      { addOn: undefined, offered: byPlacement },
      'a placement to select the cluster: default/all does not',
      'flotilla explain placement all --namespace default --clusters cluster1',
    ],
    'one that a placement selects and that is not created': [
      { addOn: undefined, offered: byPlacement, placements: [placed] },
      'the hub to create it',
      'add-on manager',
    ],
    'a cluster that is not accepted': [
      { cluster: { ...cluster, spec: {} } },
      'cluster cluster1: it is not accepted',
      'flotilla get clusters cluster1',
    ],
    'a configuration that does not exist': [
      { exists: ({ name }) => name !== 'small' },
      'addondeploymentconfigs default/small, which ClusterManagementAddOn hello names and which does not exist',
    ],
    'its turn in a rollout': [
      {
        offered: byPlacement,
        placements: [placed],
        addOn: addOnOf({}, [reported('Configured', 'False'), ...without('Configured')]),
      },
      'its turn in the rollout of placement default/all: selected clusters 4.',
    ],
    'a rollout that is stalled': [
      {
        offered: {
          ...byPlacement,
          status: {
            installProgressions: [
              {
                namespace: 'default',
                name: 'all',
                conditions: [
                  reported('Progressing', 'True', 'selected clusters 4.'),
                  reported('Stalled', 'True', 'c7 failed'),
                ],
              },
            ],
          },
        },
        placements: [placed],
        addOn: addOnOf({}, [reported('Configured', 'False'), ...without('Configured')]),
      },
      'its turn in the rollout of placement default/all: c7 failed',
    ],
    'a hash': [
      { addOn: addOnOf({ status: { configReferences: [reference(small, undefined), reference(template, hashB)] } }) },
      'addondeploymentconfigs default/small to be hashed by the controller of the add-on',
      'does not run',
    ],
    'a configuration that was not given to it': [
      { addOn: addOnOf({ status: { configReferences: [reference(template, hashB)] } }) },
      'addondeploymentconfigs default/small to be given to the cluster by the add-on manager',
    ],
    'a kind of configuration that it does not know': [
      {
        addOn: addOnOf({}, [
          reported('Progressing', 'False', 'Configuration with gvr x/y is not supported', 'ConfigurationUnsupported'),
          ...without('Progressing'),
        ]),
      },
      'Configuration with gvr x/y is not supported',
    ],
    'its permissions': [
      { addOn: addOnOf({}, without('RegistrationApplied')) },
      'its permissions on the hub',
      'its log',
    ],
    'a render that fails': [
      { addOn: addOnOf({}, [reported('ManifestApplied', 'False', 'render threw'), ...without('ManifestApplied')]) },
      'its works: render threw',
    ],
    'a hosting cluster': [
      {
        addOn: addOnOf(
          {
            metadata: { namespace: 'cluster1', name: 'hello', annotations: { [`${group}/hosting-cluster-name`]: 'h' } },
          },
          [reported('HostingClusterValidity', 'False', 'h is not a managed cluster'), ...well],
        ),
      },
      'a hosting cluster: h is not a managed cluster',
    ],
    'a work': [
      { works: [work(false)] },
      'work addon-hello-deploy-0: the agent has taken it',
      'flotilla explain work addon-hello-deploy-0 -c cluster1',
    ],
    credentials: [
      { addOn: addOnOf({}, [reported('TokenRefreshed', 'False', 'Failed to create token'), ...well]) },
      'credentials of its agent: Failed to create token',
    ],
    'its lease': [
      {
        addOn: addOnOf({ status: { namespace: 'agents' } }, [
          reported('Available', 'Unknown', 'The status of hello add-on is unknown.'),
          ...without('Available'),
        ]),
        offered: { ...offered, spec: {} },
      },
      'its health: The status of hello add-on is unknown.',
      'Lease hello in namespace agents of cluster1',
    ],
    'a hook before it is removed': [
      {
        addOn: addOnOf({ metadata: { namespace: 'cluster1', name: 'hello', deletionTimestamp: secondsAgo(3) } }, [
          reported('HookManifestCompleted', 'False', 'hook manifestWork addon-hello-pre-delete is not completed.'),
        ]),
      },
      'what it does before it is removed: hook manifestWork addon-hello-pre-delete is not completed.',
      'makes it',
    ],
  };
  it.for(Object.entries(waits))('names what it waits for: %s', ([, [parts, waitsFor, advice]]) => {
    const explanation = explainAddOn(facts(parts));
    expect(explanation.waitsFor).toContain(waitsFor);
    if (advice !== undefined) expect(explanation.advice.join('\n')).toContain(advice);
  });

  it('says how far a rollout is, and what the cluster has meanwhile', () => {
    const rolling = addOnOf({
      status: { configReferences: [reference(small, hashB, hashA), reference(template, hashB)] },
    });
    const text = renderAddOnExplanation(
      explainAddOn(
        facts({
          offered: { ...byPlacement, spec: { ...byPlacement.spec, defaultConfigs: [small, template] } },
          placements: [
            {
              ...placed,
              rolloutStrategy: {
                type: 'Progressive',
                progressive: { mandatoryDecisionGroups: [{ groupName: 'canary' }], maxConcurrency: '25%' },
              },
            },
          ],
          addOn: rolling,
        }),
      ),
    );
    expect(text).toContain('rollout       Progressive (canary first, then 25% at once): selected clusters 4.\n');
    expect(text).toContain('hash bbbbbbbbbbbb: rolling out (has aaaaaaaaaaaa)\n');
    expect(text).toContain('install       by placement default/all\n');
  });
});
