import {
  type Action,
  type CloudEvent,
  type DataType,
  dataTypes,
  formatEventType,
  parseEventType,
} from '@flotilla/cloudevents';
import { describe, expect, it } from 'vitest';
import { publishAttributes, subscribeAttributes } from './attributes.ts';

const event = (
  dataType: DataType,
  action: Action,
  { subresource = 'spec', name }: { subresource?: 'spec' | 'status'; name?: string } = {},
): CloudEvent => ({
  id: '1',
  source: 'cluster1',
  type: formatEventType({ dataType, subresource, action }),
  extensions: { clustername: 'cluster1' },
  ...(name && { data: new TextEncoder().encode(JSON.stringify({ metadata: { name } })) }),
});
const needed = (published: CloudEvent) => publishAttributes(published, parseEventType(published.type));
const cluster = { group: 'cluster.open-cluster-management.io', resource: 'managedclusters', name: 'cluster1' };
const work = { group: 'work.open-cluster-management.io', resource: 'manifestworks' };
const token = { group: '', resource: 'serviceaccounts', subresource: 'token' };
const namespace = 'cluster1';

describe('the right that an event needs [grpc-cloudevents 26.6-54]', () => {
  it.each([
    ['to create a cluster', event(dataTypes.managedClusters, 'create_request'), { verb: 'create', ...cluster }],
    ['to resync clusters', event(dataTypes.managedClusters, 'resync_request'), { verb: 'list', ...cluster }],
    [
      'to get a token',
      event(dataTypes.tokenRequests, 'create_request', { name: 'addon-agent' }),
      { verb: 'create', ...token, name: 'addon-agent' },
    ],
    [
      'to report on a work',
      event(dataTypes.manifestBundles, 'update_request', { subresource: 'status' }),
      { verb: 'update', ...work, subresource: 'status' },
    ],
    [
      'to renew a lease',
      event(dataTypes.leases, 'update_request', { name: 'managed-cluster-lease' }),
      { verb: 'update', group: 'coordination.k8s.io', resource: 'leases', name: 'managed-cluster-lease' },
    ],
    [
      'to create an event',
      event(dataTypes.events, 'create_request', { name: 'e' }),
      { verb: 'create', group: 'events.k8s.io', resource: 'events' },
    ],
  ])('%s', (_, published, attributes) => {
    expect(needed(published)).toEqual({ ...attributes, namespace });
  });

  it.each<[string, CloudEvent]>([
    ['an action that is none of an agent', event(dataTypes.leases, 'resync_response')],
    [
      'a data type that no service has',
      event({ group: 'apps', version: 'v1', resource: 'deployments' }, 'create_request'),
    ],
  ])('is one that no user has, for %s', (_, published) => {
    expect(() => needed(published)).toThrow(/^Forbidden: access denied/);
  });
});

describe('the right that a subscription needs [grpc-cloudevents 26.6-54]', () => {
  it.each([
    ['leases', dataTypes.leases, { verb: 'watch', group: 'coordination.k8s.io', resource: 'leases' }],
    ['works', dataTypes.manifestBundles, { verb: 'watch', ...work }],
    ['its cluster', dataTypes.managedClusters, { verb: 'watch', ...cluster }],
    ['tokens', dataTypes.tokenRequests, { verb: 'subscribe', ...token }],
  ])('of %s', (_, dataType, attributes) => {
    expect(subscribeAttributes(dataType, 'cluster1')).toEqual({ ...attributes, namespace });
  });
});
