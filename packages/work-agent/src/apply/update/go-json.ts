import { createHash } from 'node:crypto';
import { stringifyJson } from '@flotilla/kube/meta';
import { isRecord } from '@flotilla/schema';

/** Fields of a Go struct in their order; those with `always` are written even if they are not set. */
interface StructField {
  readonly name: string;
  readonly fields?: readonly StructField[];
  readonly always?: unknown;
}

const field = (name: string, fields?: readonly StructField[]): StructField => ({ name, ...(fields && { fields }) });

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (isRecord(value) && Object.keys(value).length === 0);

/** Fields behind pointers are written though they are 0, false or empty, once they are set. */
const pointers: ReadonlySet<string> = new Set([
  'allocateLoadBalancerNodePorts',
  'appProtocol',
  'attachRequired',
  'clientIP',
  'podInfoOnMount',
  'requiresRepublish',
  'seLinuxMount',
  'sessionAffinityConfig',
  'storageCapacity',
  'timeoutSeconds',
]);

function ordered(value: unknown, fields: readonly StructField[] | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => ordered(item, fields));
  if (!isRecord(value)) return value;
  if (!fields) return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  const struct: Record<string, unknown> = {};
  for (const { name, fields: inner, always } of fields) {
    const given = value[name];
    if (given === undefined ? always === undefined : isEmpty(given) && !pointers.has(name) && always === undefined)
      continue;
    struct[name] = given === undefined ? always : ordered(given, inner);
  }
  return struct;
}

/** What Go escapes in JSON. */
const escaped = (json: string): string =>
  json.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

const specHash = (spec: unknown, fields: readonly StructField[]): string =>
  createHash('sha256')
    .update(escaped(stringifyJson(ordered(isRecord(spec) ? spec : {}, fields))))
    .digest('hex');

const serviceSpec: readonly StructField[] = [
  field('ports', [
    field('name'),
    field('protocol'),
    field('appProtocol'),
    { name: 'port', always: 0 },
    { name: 'targetPort', always: 0 },
    field('nodePort'),
  ]),
  field('selector'),
  field('clusterIP'),
  field('clusterIPs'),
  field('type'),
  field('externalIPs'),
  field('sessionAffinity'),
  field('loadBalancerIP'),
  field('loadBalancerSourceRanges'),
  field('externalName'),
  field('externalTrafficPolicy'),
  field('healthCheckNodePort'),
  field('publishNotReadyAddresses'),
  field('sessionAffinityConfig', [field('clientIP', [field('timeoutSeconds')])]),
  field('ipFamilies'),
  field('ipFamilyPolicy'),
  field('allocateLoadBalancerNodePorts'),
  field('loadBalancerClass'),
  field('internalTrafficPolicy'),
  field('trafficDistribution'),
];

const csiDriverSpec: readonly StructField[] = [
  field('attachRequired'),
  field('podInfoOnMount'),
  field('volumeLifecycleModes'),
  field('storageCapacity'),
  field('fsGroupPolicy'),
  field('tokenRequests', [{ name: 'audience', always: '' }, field('expirationSeconds')]),
  field('requiresRepublish'),
  field('seLinuxMount'),
  field('nodeAllocatableUpdatePeriodSeconds'),
];

/** Hash of the spec of a Service as OCM's agent writes it on the object, so that either takes over from the other. */
export const serviceSpecHash = (spec: unknown): string => specHash(spec, serviceSpec);

/** Hash of the spec of a CSIDriver, likewise. */
export const csiDriverSpecHash = (spec: unknown): string => specHash(spec, csiDriverSpec);
