import type { ManagedCluster, ManifestWork } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { condition, healthy, now, report, secondsAgo, workOf } from '../../fixtures/works.ts';
import { explainWork } from './explanation.ts';
import type { ManagedFacts, WorkFacts } from './facts.ts';
import { renderExplanation } from './render.ts';

const cluster: ManagedCluster = {
  metadata: { name: 'cluster1' },
  spec: { hubAcceptsClient: true },
  status: {
    conditions: [condition('ManagedClusterJoined', 'True'), condition('ManagedClusterConditionAvailable', 'True')],
  },
};

const shown = (facts: Partial<WorkFacts> & { work: ManifestWork }): string =>
  renderExplanation(explainWork({ cluster, heartbeat: secondsAgo(12), now, ...facts }), now);

const failed = (message: string): ManifestWork =>
  workOf(['a', 'b'], {
    conditions: [
      condition('Applied', 'False', 'Failed to apply manifest work', 2),
      condition('Available', 'False', '1 of 2 resources are not available', 2),
    ],
    resourceStatus: {
      manifests: [
        report(0, 'ConfigMap', 'a', [condition('Applied', 'True', '', 2), condition('Available', 'True')], {
          statusFeedback: { values: [{ name: 'ReadyReplicas', fieldValue: { type: 'Integer', integer: 2 } }] },
        }),
        report(1, 'ConfigMap', 'b', [
          condition('Applied', 'False', `Failed to apply manifest: ${message}`, 2),
          condition('Available', 'False', 'Resource is not available'),
        ]),
      ],
    },
  });

const managed: ManagedFacts = {
  appliedWorks: [
    {
      metadata: { name: 'hash-hello', uid: 'amw-uid' },
      status: {
        appliedResources: [
          { group: '', version: 'v1', resource: 'configmaps', name: 'a', namespace: 'default', uid: 'a-uid' },
        ],
      },
    },
  ],
  objects: [
    {
      kind: 'there',
      object: {
        metadata: {
          uid: 'a-uid',
          creationTimestamp: secondsAgo(120),
          ownerReferences: [
            {
              apiVersion: 'work.open-cluster-management.io/v1',
              kind: 'AppliedManifestWork',
              name: 'hash-hello',
              uid: 'amw-uid',
            },
          ],
          managedFields: [
            { manager: 'work-agent', operation: 'Update', fieldsV1: { 'f:data': { 'f:who': {} } } },
            {
              manager: 'kubectl-edit',
              operation: 'Update',
              time: secondsAgo(30),
              fieldsV1: { 'f:data': { 'f:who': {}, 'f:more': {} } },
            },
          ],
        },
      },
    },
    { kind: 'absent' },
  ],
};

describe('an explanation from the hub alone', () => {
  it('says that all is well', () => {
    expect(shown({ work: healthy(['a']) })).toBe(`Work hello on cluster1: its manifest is applied, and the object exists

hub         ManifestWork cluster1/hello, generation 2, created 5m ago
cluster     is accepted and Available; its agent last reported 12s ago
agent       Applied is True for 60s; Available is True for 60s

[0] v1 ConfigMap default/a
    applied     True, for 60s
    available   True, for 60s
`);
  });

  it('names the manifest that failed, the error, the next try and what to do', () => {
    expect(
      shown({ work: failed('namespaces "shop" not found') }),
    ).toBe(`Work hello on cluster1: 1 of 2 manifests could not be applied

hub         ManifestWork cluster1/hello, generation 2, created 5m ago
cluster     is accepted and Available; its agent last reported 12s ago
agent       Applied is False for 60s; Available is False for 60s

[0] v1 ConfigMap default/a
    applied     True, for 60s
    available   True, for 60s
    feedback    ReadyReplicas=2

[1] v1 ConfigMap default/b
    applied     False, for 60s: Failed to apply manifest: namespaces "shop" not found
    next try    by itself, with pauses that grow to some minutes; at once when the work changes
    available   False, for 60s: Resource is not available

What to do:
- [1] Put the Namespace shop into the work too: namespaces are applied before what is in them.
`);
  });

  it.each([
    [
      'not allowed to apply the resource  configmaps, default b, will try again in 1m0s',
      ['within 1m0s, or at once', 'Give the executor of the work'],
    ],
    ['no matches for kind "Widget" in version "example.com/v1"', ['does not know Widget']],
    [
      `the server doesn't have a resource type "Widget"; tried again when example.com/v1 Widget is served`,
      ['does not know Widget', 'next try    when example.com/v1 Widget is served', 'resource type "Widget"\n'],
    ],
    ['configmaps is forbidden: User "x" cannot create', ['aggregate-to-work']],
    ['Apply failed with 1 conflict: conflict with "helm": .data.who', ['helm owns fields of the object']],
    [
      'ManifestWork "first" applies the same object with other content; tried again when the object or one of the works changes',
      [
        'What to do',
        'Remove the manifest from one of them (this work or first)',
        'next try    when the object or one of',
      ],
    ],
    [
      'deployments default/b is changed by "helm" each time it is applied, will try again in 5m0s',
      ['Another writer ("helm") changes what the work applies'],
    ],
    [
      'deployments default/b is deleted each time it is applied, will try again in 5m0s',
      ['within 5m0s', 'Another program deletes what the work applies'],
    ],
    ['spec.selector: Invalid value: field is immutable', ['Delete the object on the managed cluster']],
    ['admission webhook "policy.example.com" denied the request: no', ['(policy.example.com) refuses the object']],
    ['ConfigMap "b" is invalid: data: Invalid value', ['fix the field that the message names']],
  ])('knows what to do about: %s', (message, words) => {
    const text = shown({ work: failed(message) });
    for (const word of words) expect(text).toContain(word);
  });

  it('says that the agent has not reconciled the last change', () => {
    const work = { ...healthy(['a']), metadata: { ...healthy(['a']).metadata, generation: 3 } };
    const text = shown({ work });
    expect(text).toContain('Work hello on cluster1: the agent has not observed the last change yet');
    expect(text).toContain('Applied is True for 60s, of generation 2');
  });

  it.each<[string, ManagedCluster | undefined, string]>([
    ['is not there', undefined, 'there is no ManagedCluster cluster1: no agent will take the work'],
    ['is not accepted', { ...cluster, spec: {} }, 'it is not accepted: its agent cannot read works'],
    ['has not joined', { ...cluster, status: {} }, 'it has not joined yet'],
    [
      'is silent',
      {
        ...cluster,
        status: {
          conditions: [
            condition('ManagedClusterJoined', 'True'),
            condition('ManagedClusterConditionAvailable', 'Unknown', 'Registration agent stopped updating its lease.'),
          ],
        },
      },
      'Available is Unknown: Registration agent stopped updating its lease.',
    ],
  ])('says so if the cluster %s', (_, unwell, expected) => {
    const work = { ...workOf(['a']), metadata: { ...workOf(['a']).metadata, finalizers: [] } };
    const { cluster: _known, ...facts } = { cluster, work, now };
    const explanation = explainWork(unwell ? { ...facts, cluster: unwell } : facts);
    expect(explanation.summary).toBe(expected);
    const advice = expected.includes('cannot read')
      ? 'Accept cluster cluster1: `flotilla accept --clusters cluster1`'
      : 'flotilla get clusters cluster1 -o wide';
    expect(explanation.advice).toEqual([expect.stringContaining(advice)]);
  });

  it('does not claim that an agent runs because it did some seconds ago', () => {
    const work = { ...workOf(['a']), metadata: { ...workOf(['a']).metadata, finalizers: [] } };
    expect(explainWork({ work, cluster, heartbeat: secondsAgo(8), now }).advice).toEqual([
      'The agent of cluster1 has not taken the work; it last reported 8s ago. Check that it still runs, its part for works too, and read its log.',
    ]);
  });

  it('has all facts as data: times, counts and the next try', () => {
    const work = failed('not allowed to apply the resource  configmaps, default b, will try again in 5m0s');
    const { chain, manifests } = explainWork({ work, cluster, heartbeat: secondsAgo(8), managed, now });
    expect(chain).toMatchObject([
      { where: 'hub', generation: 2, created: work.metadata?.creationTimestamp },
      { where: 'cluster', accepted: true, available: 'True', lastHeartbeat: secondsAgo(8) },
      { where: 'agent', taken: true, conditions: [{ type: 'Applied', status: 'False', observedGeneration: 2 }, {}] },
      { where: 'managed', appliedManifestWorks: [{ name: 'hash-hello', objects: 1 }] },
    ]);
    const latest = new Date(now + 300_000).toISOString();
    expect(manifests[1]?.nextTry).toMatchObject({ withinSeconds: 300, latest });
  });

  it('says so if the cluster was denied after its agent took the work', () => {
    const denied = { ...condition('HubAcceptedManagedCluster', 'False'), reason: 'HubClusterAdminDenied' };
    const { advice, chain } = explainWork({
      work: healthy(['a']),
      cluster: { ...cluster, spec: { hubAcceptsClient: false }, status: { conditions: [denied] } },
      now,
    });
    expect(chain[1]?.state).toBe('it was denied on the hub: its agent cannot read works');
    expect(advice).toEqual([
      'Accept cluster cluster1: `flotilla accept --clusters cluster1`. Until then nothing on it is changed.',
    ]);
  });

  it('reports conditions by rules, and that a complete work is let be', () => {
    const work = healthy(['a']);
    const complete = condition('Complete', 'True', 'Job is finished', 2);
    work.status?.conditions?.push(complete);
    work.status?.resourceStatus?.manifests?.[0]?.conditions.push(complete);
    const text = shown({ work });
    expect(text).toContain('is complete: it is applied no more');
    expect(text).toContain('    complete    True, for 60s\n');
  });

  it('shows values that could not be read', () => {
    const message = 'Sync status feedback failed with error x';
    const work = healthy(['a']);
    work.status?.resourceStatus?.manifests?.[0]?.conditions.push(condition('StatusFeedbackSynced', 'False', message));
    expect(shown({ work })).toContain(`    error       ${message}\n`);
  });

  it('finds what the agent knows by position only', () => {
    const meta = { ordinal: 0, group: '', version: '', kind: '', resource: '', name: '', namespace: '' };
    const unknown = report(0, '', '', [condition('Applied', 'False', 'Failed to apply manifest: x', 2)], {
      resourceMeta: meta,
    });
    const work = workOf(['a'], { resourceStatus: { manifests: [unknown] } });
    expect(explainWork({ work, cluster, now }).manifests[0]?.lastError).toBe('Failed to apply manifest: x');
  });
});

describe('an explanation with the managed cluster', () => {
  it('shows the object, whose it is and who else writes it', () => {
    const text = shown({ work: failed('namespaces "shop" not found'), managed });
    expect(text).toContain('managed     AppliedManifestWork hash-hello lists 1 object\n');
    expect(text).toContain('    object      exists, created 2m ago, is deleted with the work\n');
    expect(text).toContain(
      '    written by  kubectl-edit (Update 30s ago): data.who, data.more — the manifest sets data.who too\n',
    );
    expect(text).toContain('    object      does not exist\n');
    expect(text).toContain('- [0] kubectl-edit writes data.who, which the manifest sets too.');
  });

  it('says that an object belongs to two works, and that it is not changed', () => {
    const work = healthy(['a']);
    const resourceIdentifier = { resource: 'configmaps', namespace: '*', name: 'a' };
    const serviceAccount = { namespace: 'apps', name: 'runner' };
    work.spec = {
      ...work.spec,
      manifestConfigs: [{ resourceIdentifier, updateStrategy: { type: 'CreateOnly' } }],
      executor: { subject: { type: 'ServiceAccount', serviceAccount } },
    };
    const owner = (name: string, uid: string) => ({ apiVersion: 'x', kind: 'AppliedManifestWork', name, uid });
    const object = {
      metadata: { ownerReferences: [owner('hash-hello', 'amw-uid'), owner('hash-other', 'other-uid')] },
    };
    const text = shown({ work, managed: { ...managed, objects: [{ kind: 'there', object }] } });
    expect(text).toContain('    strategy    CreateOnly: an object that exists is not changed\n');
    expect(text).toContain('stays when the work is deleted, also belongs to hash-other');
    expect(text).toContain('applies as far as apps/runner may');
  });

  it('gives one piece of advice where the agent gave way to another writer', () => {
    const object = {
      metadata: { managedFields: [{ manager: 'helm', operation: 'Apply', fieldsV1: { 'f:data': { 'f:who': {} } } }] },
    };
    const message = 'Failed to apply manifest: Apply failed with 1 conflict: conflict with "helm": .data.who';
    const work = workOf(['a'], {
      conditions: [condition('Applied', 'False', '', 2)],
      resourceStatus: { manifests: [report(0, 'ConfigMap', 'a', [condition('Applied', 'False', message, 2)])] },
    });
    const explanation = explainWork({
      work,
      cluster,
      now,
      managed: { appliedWorks: [], objects: [{ kind: 'there', object }] },
    });
    expect(explanation.summary).toBe('its manifest could not be applied');
    expect(explanation.advice).toEqual([expect.stringContaining('helm owns fields of the object')]);
  });

  it('says what a deletion waits for', () => {
    const work = { ...healthy(['a']), metadata: { ...healthy(['a']).metadata, deletionTimestamp: secondsAgo(40) } };
    const object = { metadata: { uid: 'a-uid', deletionTimestamp: secondsAgo(39), finalizers: ['example.com/hold'] } };
    const text = shown({ work, managed: { ...managed, objects: [{ kind: 'there', object }] } });
    expect(text).toContain('Work hello on cluster1: is being deleted: 1 object is still there');
    expect(text).toContain('being deleted for 39s');
    expect(text).toContain('- [0] The object waits for its finalizers: example.com/hold.');
  });

  it('says what could not be read, and that nothing was applied', () => {
    const why = 'UnknownKind: Widget is not known';
    const text = shown({ work: healthy(['a']), managed: { appliedWorks: [], objects: [{ kind: 'unreadable', why }] } });
    expect(text).toContain('managed     has no AppliedManifestWork of this name');
    expect(text).toContain(`    object      cannot be read: ${why}\n`);
  });
});
