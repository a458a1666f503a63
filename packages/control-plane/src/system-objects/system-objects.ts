import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '@flotilla/kube';
import { formatTime } from '@flotilla/kube/meta';
import type { KubeObject, ObjectMeta } from '@flotilla/schema';
import type { Registry } from '../contracts/resource-info.ts';
import type { Storage } from '../contracts/storage.ts';
import { localApiService } from './api-services.ts';
import { type FrontProxyAuthorities, frontProxyConfig } from './front-proxy-config.ts';
import { kubeletAccess } from './kubelet-access.ts';
import { type ServerAddress, serviceObjects } from './kubernetes-service.ts';
import objects from './system-objects.json' with { type: 'json' };

export interface SystemObjectsOptions {
  readonly storage: Storage;
  readonly registry: Pick<Registry, 'all'>;
  readonly clock: Clock;
  readonly newUid: () => string;
}

/** An object that the server keeps, and where. */
export interface SystemObject {
  readonly storage: string;
  readonly key: string;
  readonly object: KubeObject;
}

const flowControl = 'flowcontrol.apiserver.k8s.io';
const autoupdate = 'apf.kubernetes.io/autoupdate-spec';

/** What there is from the start besides roles and namespaces. */
export function createSystemObjects(options: SystemObjectsOptions): void {
  for (const one of [...priorityClasses(), ...flowControlObjects(), ...apiServices(options.registry)]) {
    ensure(options, one);
  }
}

/** Those that are restored when they are deleted or changed, as the real server does within a minute. */
export function keptObjects(address: ServerAddress | undefined, authorities: FrontProxyAuthorities): SystemObject[] {
  return [...flowControlObjects(), ...serviceObjects(address), ...kubeletAccess(), frontProxyConfig(authorities)];
}

/** Creates an object that is not there, and puts back what the server owns of one that is. */
export function ensure(options: Omit<SystemObjectsOptions, 'registry'>, { storage, key, object }: SystemObject): void {
  const present: (KubeObject & { spec?: unknown }) | undefined = options.storage.get(storage, key);
  if (!present) {
    const metadata: ObjectMeta = {
      ...object.metadata,
      uid: options.newUid(),
      creationTimestamp: formatTime(options.clock.now()),
    };
    options.storage.put(storage, key, stamped({ ...object, metadata }, formatTime(options.clock.now())));
    return;
  }
  if (!isOwned(present)) return;
  const { metadata: _, ...owned } = ownedPart(object);
  const next = { ...present, ...owned };
  if (isDeepStrictEqual(next, present)) return;
  const generation = present.metadata?.generation;
  const metadata = { ...present.metadata, ...(generation !== undefined && { generation: generation + 1 }) };
  options.storage.put(storage, key, { ...next, metadata });
}

/** Conditions without a time get the present one. */
function stamped(object: KubeObject & { status?: { conditions?: readonly object[] } }, time: string): KubeObject {
  const { conditions } = object.status ?? {};
  if (!conditions) return object;
  const stampedObject: KubeObject & { status: object } = {
    ...object,
    status: { ...object.status, conditions: conditions.map((one) => ({ ...one, lastTransitionTime: time })) },
  };
  return stampedObject;
}

/** An annotation exempts flow control objects from this; the objects that lead to the server are always restored. */
const isOwned = ({ kind, metadata }: KubeObject): boolean =>
  kind === 'Service' ||
  kind === 'Endpoints' ||
  kind === 'EndpointSlice' ||
  kind === 'ConfigMap' ||
  kind === 'ClusterRole' ||
  kind === 'ClusterRoleBinding' ||
  metadata?.annotations?.[autoupdate] === 'true';

/** The server restores the spec, and for objects that lead to it all fields but the address of a Service. */
function ownedPart(object: KubeObject & { spec?: unknown; status?: unknown }): KubeObject {
  if (object.kind === 'Endpoints' || object.kind === 'EndpointSlice' || object.kind === 'ConfigMap') return object;
  const { spec, metadata } = object;
  const part: KubeObject & { spec?: unknown } = { metadata, spec };
  return part;
}

const priorityClasses = (): SystemObject[] =>
  objects.priorityClasses.map(({ metadata, ...rest }) => ({
    storage: 'scheduling.k8s.io/priorityclasses',
    key: metadata.name,
    object: {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { ...metadata, generation: 1 },
      ...rest,
    },
  }));

const flowControlObjects = (): SystemObject[] => [
  ...objects.priorityLevels.map(({ metadata, spec }) => ({
    storage: `${flowControl}/prioritylevelconfigurations`,
    key: metadata.name,
    object: flowControlObject('PriorityLevelConfiguration', metadata, spec, {}),
  })),
  ...objects.flowSchemas.map(({ metadata, spec }) => ({
    storage: `${flowControl}/flowschemas`,
    key: metadata.name,
    object: flowControlObject('FlowSchema', metadata, spec, {
      conditions: [danglingCondition(spec.priorityLevelConfiguration.name, true)],
    }),
  })),
];

const flowControlObject = (kind: string, metadata: object, spec: object, status: object): KubeObject => {
  const object: KubeObject & { spec: object; status: object } = {
    apiVersion: `${flowControl}/v1`,
    kind,
    metadata: { ...metadata, generation: 1 },
    spec,
    status,
  };
  return object;
};

/** Whether a flow schema leads nowhere, in the words of the real server. */
export const danglingCondition = (priorityLevel: string, exists: boolean) => ({
  type: 'Dangling',
  status: exists ? 'False' : 'True',
  reason: exists ? 'Found' : 'NotFound',
  message: `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(priorityLevel)} ${
    exists ? 'and it exists' : 'but there is no such object'
  }`,
});

const priorities: Readonly<Record<string, readonly number[]>> = objects.apiServices;

/** One for each group and version that is built in. */
function apiServices(registry: Pick<Registry, 'all'>): SystemObject[] {
  const builtIn = registry.all().filter(({ source }) => source === 'built-in');
  const names = new Map(builtIn.map(({ group, version }) => [`${version}.${group}`, { group, version }]));
  return [...names].map(([name, groupVersion]) => {
    const [groupPriority = 17_000, versionPriority = 15] = priorities[name] ?? [];
    return {
      storage: 'apiregistration.k8s.io/apiservices',
      key: name,
      object: localApiService(groupVersion, { groupPriority, versionPriority, automanaged: 'onstart' }),
    };
  });
}
