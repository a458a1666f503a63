import type { ManifestWork } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import type { CloudEvent } from '../event/cloud-event.ts';
import { comparable, published, streamed } from '../event/fixtures/messages.ts';
import { wireExamples } from '../event/fixtures/wire-examples.ts';
import {
  dataTypeAnnotation,
  decodeBundle,
  decodeBundleStatus,
  encodeBundle,
  encodeBundleStatus,
  encodeGoneBundle,
  maxManifestBytes,
  originalSourceLabel,
} from './manifest-bundle.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const created = { source: 'kube', now, subresource: 'spec', action: 'create_request' } as const;
const uid = '6f0c1f6e-2a51-4d0e-9d0c-0c6a2f9b1a03';
const configMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'cm1', namespace: 'default' },
  data: { a: 'b' },
};
const work: ManifestWork = {
  metadata: {
    name: 'work1',
    namespace: 'cluster1',
    uid,
    resourceVersion: '1001',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: { workload: { manifests: [configMap] } },
};
const bundle = streamed(wireExamples.receiveBundle);
const withExtensions = (more: CloudEvent['extensions'], without: readonly string[] = []): CloudEvent => ({
  ...bundle,
  extensions: Object.fromEntries(
    Object.entries({ ...bundle.extensions, ...more }).filter(([name]) => !without.includes(name)),
  ),
});

describe('a ManifestWork of the hub', () => {
  it('is the event of a server of OCM, with its generation as an integer [grpc-cloudevents 26.1-5]', () => {
    expect(comparable(encodeBundle(work, created))).toEqual(comparable(bundle));
    expect(bundle.extensions.resourceversion).toBe(1);
  });

  it('is restored from the extensions, which win over the metadata [grpc-cloudevents 26.5-44]', () => {
    const metadata = JSON.stringify({
      name: 'work1',
      namespace: 'forged',
      uid: 'forged',
      generation: 9,
      labels: { a: 'b' },
    });
    const read = decodeBundle(withExtensions({ metadata, logtracing: '{"logging.open-cluster-management.io/t":"1"}' }));
    expect(read).toEqual({
      apiVersion: 'work.open-cluster-management.io/v1',
      kind: 'ManifestWork',
      metadata: {
        name: 'work1',
        namespace: 'cluster1',
        uid,
        generation: 1,
        labels: { a: 'b', [originalSourceLabel]: 'kube' },
        annotations: {
          'logging.open-cluster-management.io/t': '1',
          [dataTypeAnnotation]: 'io.open-cluster-management.works.v1alpha1.manifestbundles',
        },
      },
      spec: { workload: { manifests: [configMap] } },
    });
  });

  it('keeps its options', () => {
    const spec: ManifestWork['spec'] = {
      workload: { manifests: [configMap] },
      deleteOption: { propagationPolicy: 'Orphan' },
      manifestConfigs: [
        {
          resourceIdentifier: { group: '', resource: 'configmaps', name: 'cm1', namespace: 'default' },
          feedbackRules: [],
        },
      ],
      executor: { subject: { type: 'ServiceAccount', serviceAccount: { name: 'a', namespace: 'b' } } },
    };
    const event = encodeBundle({ ...work, spec }, created);
    expect(decodeBundle(event).spec).toEqual(spec);
  });

  it('[work 18.Q-218] that is being deleted keeps the finalizer until the agent has cleaned up [grpc-cloudevents 26.5-44]', () => {
    const deletionTimestamp = '2026-01-01T00:00:05Z';
    const event = encodeBundle({ ...work, metadata: { ...work.metadata, generation: 2, deletionTimestamp } }, created);
    expect(event.data).toBeUndefined();
    const { metadata, spec } = decodeBundle(event);
    expect(spec).toBeUndefined();
    expect(metadata).toMatchObject({
      name: 'work1',
      generation: 2,
      deletionTimestamp,
      finalizers: ['cluster.open-cluster-management.io/manifest-work-cleanup'],
    });
  });

  it('that is gone can be read, by its version and its name', () => {
    expect(decodeBundle(encodeGoneBundle(work, created)).metadata).toMatchObject({ name: 'work1', generation: 1, uid });
  });

  const withData = (manifests: unknown): CloudEvent => ({
    ...bundle,
    data: new TextEncoder().encode(JSON.stringify({ manifests })),
  });
  it.each([
    ['no uid', withExtensions({}, ['resourceid']), /resourceid is required/],
    ['no version', withExtensions({}, ['resourceversion']), /resourceversion is not set/],
    ['no cluster', withExtensions({}, ['clustername']), /clustername is required/],
    ['metadata that is not JSON', withExtensions({ metadata: '{' }), /extension metadata is not JSON/],
    ['traces that are not JSON', withExtensions({ logtracing: 'x' }), /extension logtracing is not JSON/],
    ['an empty list of manifests', withData([]), /at least one manifest/],
    ['a manifest without a name', withData([{ kind: 'ConfigMap' }]), /manifests\[0\] needs metadata.name/],
    ['a generated name', withData([{ metadata: { name: 'a', generateName: 'a-' } }]), /must not have/],
    [
      'too many bytes',
      withData([{ metadata: { name: 'a' }, data: 'x'.repeat(maxManifestBytes) }]),
      /split the ManifestWork/,
    ],
  ])('[work 18.Q-218] is refused with %s [grpc-cloudevents 26.5-44]', (_, event, message) => {
    expect(() => decodeBundle(event)).toThrow(message);
  });
});

describe('the report on a ManifestWork', () => {
  const received: ManifestWork = {
    ...decodeBundle(bundle),
    status: {
      conditions: [
        {
          type: 'Applied',
          status: 'True',
          observedGeneration: 1,
          lastTransitionTime: '2026-01-01T00:00:05Z',
          reason: 'AppliedManifestWorkComplete',
          message: 'Apply manifest work complete',
        },
      ],
    },
  };
  const origin = { source: 'cluster1-work-agent', now };

  it('is the event of an agent of OCM [grpc-cloudevents 26.5-45]', () => {
    const finalizers = ['cluster.open-cluster-management.io/manifest-work-cleanup'];
    const event = encodeBundleStatus(
      { ...received, metadata: { ...received.metadata, finalizers } },
      origin,
      '2006515734410170368',
    );
    const expected = published(wireExamples.reportStatus);
    const readable = (each: CloudEvent) => ({
      ...comparable(each),
      extensions: { ...each.extensions, metadata: JSON.parse(String(each.extensions.metadata)) },
    });
    expect(readable(event)).toEqual(readable(expected));
  });

  it('[work 18.Q-219] needs the source that the work came from [grpc-cloudevents 26.5-45]', () => {
    expect(() => encodeBundleStatus(work, origin, '1')).toThrow(/lacks the label/);
  });

  it('is read by the hub', () => {
    const manifests = [
      { conditions: [], resourceMeta: { ordinal: 0, kind: 'ConfigMap', name: 'cm1' }, statusFeedback: {} },
    ];
    const status = { ...received.status, resourceStatus: { manifests } };
    expect(decodeBundleStatus(encodeBundleStatus({ ...received, status }, origin, '7'))).toEqual({
      uid,
      clusterName: 'cluster1',
      generation: 1n,
      sequenceId: '7',
      status,
    });
  });

  it('is refused without a sequence id [grpc-cloudevents 26.5-46]', () => {
    const event = encodeBundleStatus(received, origin, '');
    expect(() => decodeBundleStatus(event)).toThrow(/sequenceid is required/);
  });

  const reporting = (resourceStatus: unknown): CloudEvent => ({
    ...encodeBundleStatus(received, origin, '1'),
    data: new TextEncoder().encode(JSON.stringify({ resourceStatus })),
  });
  it.each([
    [
      'more manifests than a work can have',
      reporting(Array(5001).fill({})),
      /about 5001 manifests, and may be about 5000/,
    ],
    ['a manifest that is not an object', reporting([{}, null]), /resourceStatus\[1\] is not an object/],
  ])('is refused with %s', (_, event, message) => {
    expect(() => decodeBundleStatus(event)).toThrow(message);
  });

  it('is refused if its conditions are not a list', () => {
    const event = { ...encodeBundleStatus(received, origin, '1'), data: new TextEncoder().encode('{"conditions":{}}') };
    expect(() => decodeBundleStatus(event)).toThrow(/conditions of the status is not a list/);
  });
});
