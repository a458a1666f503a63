import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '@flotilla/schema';
import type { UserInfo } from '../contracts/user-info.ts';
import { definitionStorage } from '../schema/definitions/definition.ts';
import { localCondition } from '../system-objects/api-services.ts';
import type { AnyObject } from './prepare.ts';

/** What the server itself writes into a new object of a kind, after the client's status is dropped. */
type CreateStrategy = (object: AnyObject, user: UserInfo, now: string) => AnyObject;

const fieldsOf = (value: unknown): Record<string, unknown> =>
  isRecord(value) ? Object.fromEntries(Object.entries(value)) : {};

/** A namespace is open for content, and its deletion waits for its content to be deleted. */
const namespace: CreateStrategy = (object) => {
  const spec = fieldsOf(object.spec);
  const given = Array.isArray(spec.finalizers) ? spec.finalizers : [];
  const finalizers = given.includes('kubernetes') ? given : [...given, 'kubernetes'];
  return { ...object, spec: { ...spec, finalizers }, status: { phase: 'Active' } };
};

/** The requester is the authenticated user, not what the object says. */
const certificateSigningRequest: CreateStrategy = (object, user) => {
  const { username: _, uid: __, groups: ___, extra: ____, ...spec } = fieldsOf(object.spec);
  return {
    ...object,
    spec: {
      ...spec,
      username: user.name,
      ...(user.uid !== undefined && user.uid !== '' && { uid: user.uid }),
      ...(user.groups.length > 0 && { groups: user.groups }),
      ...(user.extra && Object.keys(user.extra).length > 0 && { extra: user.extra }),
    },
    status: {},
  };
};

/** The selector of a job finds its own pods by the job's uid, and the template has the matching labels. */
const job: CreateStrategy = (object) => {
  const spec = fieldsOf(object.spec);
  if (spec.manualSelector === true) return object;
  const { uid = '', name = '' } = object.metadata ?? {};
  const template = fieldsOf(spec.template);
  const metadata = fieldsOf(template.metadata);
  const selector = fieldsOf(spec.selector);
  const labels = {
    ...fieldsOf(metadata.labels),
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  const { labels: own } = object.metadata ?? {};
  // Labels that were taken over from the template follow it.
  const shared = own === undefined || isDeepStrictEqual(own, metadata.labels);
  return {
    ...object,
    ...(shared && { metadata: { ...object.metadata, labels } }),
    spec: {
      ...spec,
      selector: {
        ...selector,
        matchLabels: { ...fieldsOf(selector.matchLabels), 'batch.kubernetes.io/controller-uid': uid },
      },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  };
};

/** Objects will be stored in the version that says so; whether the names are free is decided when it is stored. */
const definition: CreateStrategy = (object) => ({ ...object, status: { storedVersions: storageVersionsOf(object) } });

const storageVersionsOf = ({ spec }: AnyObject): string[] => {
  const { versions } = fieldsOf(spec);
  const storage = (Array.isArray(versions) ? versions : []).map(fieldsOf).find((version) => version.storage === true);
  return typeof storage?.name === 'string' ? [storage.name] : [];
};

/** The status that an object keeps through an update of its spec. Objects of a definition that stores another version may be in either. */
export function keptStatus(resource: string, next: AnyObject, { status }: AnyObject): unknown {
  if (resource !== definitionStorage) return status;
  const { storedVersions, ...rest } = fieldsOf(status);
  const stored: readonly unknown[] = Array.isArray(storedVersions) ? storedVersions : [];
  return { ...rest, storedVersions: [...new Set([...stored, ...storageVersionsOf(next)])] };
}

/** Old clients read how often the template changed from here. */
const daemonSet: CreateStrategy = (object) => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: { ...object.metadata?.annotations, 'deprecated.daemonset.template.generation': '1' },
  },
});

/** An APIService without a Service is served here, and available at once. */
const apiService: CreateStrategy = (object, _user, now) =>
  fieldsOf(object.spec).service === undefined
    ? { ...object, status: { conditions: [{ ...localCondition, lastTransitionTime: now }] } }
    : object;

const pending: CreateStrategy = (object) => ({ ...object, status: { phase: 'Pending' } });

const pod: CreateStrategy = (object) => ({
  ...object,
  status: { phase: 'Pending', qosClass: qualityOfService(fieldsOf(object.spec)) },
});

type Quantities = Readonly<Record<string, unknown>>;

/** Guaranteed if every container limits cpu and memory to what it requests, BestEffort if none says anything. */
export function qualityOfService(spec: Record<string, unknown>): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const resources = [spec.containers, spec.initContainers]
    .flatMap((containers) => (Array.isArray(containers) ? containers : []))
    .map((container) => fieldsOf(fieldsOf(container).resources));
  const counted = (value: unknown): Quantities =>
    Object.fromEntries(Object.entries(fieldsOf(value)).filter(([name]) => name === 'cpu' || name === 'memory'));
  const all = resources.map(({ requests, limits }) => ({ requests: counted(requests), limits: counted(limits) }));
  if (all.every(({ requests, limits }) => Object.keys({ ...requests, ...limits }).length === 0)) return 'BestEffort';
  const guaranteed = all.every(({ requests, limits }) =>
    ['cpu', 'memory'].every((name) => limits[name] !== undefined && (requests[name] ?? limits[name]) === limits[name]),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

const createStrategies: Readonly<Record<string, CreateStrategy>> = {
  '/namespaces': namespace,
  '/pods': pod,
  '/persistentvolumeclaims': pending,
  '/persistentvolumes': pending,
  'apiextensions.k8s.io/customresourcedefinitions': definition,
  'apiregistration.k8s.io/apiservices': apiService,
  'apps/daemonsets': daemonSet,
  'batch/jobs': job,
  'certificates.k8s.io/certificatesigningrequests': certificateSigningRequest,
};

/** The new object as its kind wants it to begin. */
export const beginObject = (storage: string, object: AnyObject, user: UserInfo, now: string): AnyObject =>
  createStrategies[storage]?.(object, user, now) ?? object;

/** Whether something other than metadata holds up the deletion of this object: only namespaces know such a thing. */
export const isHeld = (storage: string, object: AnyObject): boolean => {
  const { finalizers } = fieldsOf(object.spec);
  return storage === '/namespaces' && Array.isArray(finalizers) && finalizers.length > 0;
};
