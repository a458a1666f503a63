import {
  anyObject,
  bool,
  bytes,
  conditions,
  defineKind,
  listByKey,
  listOf,
  object,
  optional,
  type Resource,
  rootOf,
  text,
  timestamp,
} from '@flotilla/schema/define';
import type { Static } from 'typebox';
import { clusterProfiles } from '../../resources.ts';

const spec = object('Which cluster this is, and who manages it.', {
  displayName: optional(text('Display name of the cluster.')),
  clusterManager: object(
    'The system that manages the cluster.',
    { name: text('Name of the cluster manager, such as open-cluster-management.') },
    { 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'ClusterManager is immutable' }] },
  ),
});

const property = object('A property of the cluster.', {
  name: text('Name of the property.', { minLength: 1, maxLength: 253 }),
  value: text('Value of the property.', { minLength: 1, maxLength: 1024 }),
  lastObservedTime: optional(timestamp('When the property was last observed on the cluster.')),
});

const connection = object('How to reach the API server, in the words of a kubeconfig.', {
  server: text('Address of the API server.'),
  'tls-server-name': optional(text('Name expected in the server’s certificate; the host of server when empty.')),
  'insecure-skip-tls-verify': optional(bool('Leaves the server’s certificate unchecked.')),
  'certificate-authority': optional(text('Path of a file with CA certificates.')),
  'certificate-authority-data': optional(bytes('PEM CA certificates; wins over certificate-authority.')),
  'proxy-url': optional(text('Proxy for all requests: http, https or socks5.')),
  'disable-compression': optional(bool('Asks for uncompressed responses.')),
  extensions: optional(
    listOf(
      'Further settings for client programs.',
      object('A named setting.', {
        name: text('Name of the extension.'),
        extension: anyObject('Content of the extension.'),
      }),
    ),
  ),
});

const accessProvider = object('A way to get access to the cluster.', {
  name: text('Name of the provider.'),
  cluster: optional(connection),
});

const status = object('What the cluster manager observed.', {
  conditions: optional(conditions('State of the cluster, such as ControlPlaneHealthy and Joined.')),
  version: optional(object('Versions of the cluster.', { kubernetes: optional(text('Version of its API server.')) })),
  properties: optional(listByKey('Properties of the cluster.', ['name'], property)),
  accessProviders: optional(listByKey('Ways to get access to the cluster.', ['name'], accessProvider)),
  credentialProviders: optional(
    listByKey('Deprecated: use accessProviders, which win for providers of the same name.', ['name'], accessProvider),
  ),
});

const schema = rootOf('A cluster in the inventory of a multi-cluster deployment.', { spec, status: optional(status) });

/** Which cluster this is, and who manages it. */
export type ClusterProfileSpec = Static<typeof spec>;
/** What the cluster manager observed. */
export type ClusterProfileStatus = Static<typeof status>;
/** A cluster in the inventory of a multi-cluster deployment. */
export interface ClusterProfile extends Resource<typeof schema> {}

/** How the kind is served, and its schema. */
export const clusterProfileKind = defineKind({ resource: clusterProfiles, schema });
