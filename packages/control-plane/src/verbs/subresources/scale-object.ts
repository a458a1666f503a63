import { formatLabelSelector, type LabelSelector } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import { apiVersionOf, type Registry, type ResourceInfo, type ScalePaths } from '../../contracts/resource-info.ts';
import { badRequest, internal } from '../../errors/api-errors.ts';
import { fieldPath, fromScaleManagedFields, type ReplicasPaths, toScaleManagedFields } from '../../patch/index.ts';
import type { AnyObject } from '../prepare.ts';

/** autoscaling/v1 Scale: the number of replicas of anything, in one shape. */
export interface Scale extends KubeObject {
  spec?: { replicas?: number };
  status?: { replicas: number; selector?: string };
}

const builtInPaths: ScalePaths = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };

const pathsOf = (info: ResourceInfo): ScalePaths => info.scalePaths ?? builtInPaths;

/** The paths that definitions may name are plain fields: `.spec.replicas`. */
const fieldsOf = (path: string): string[] => path.split('.').filter((part) => part !== '');

const valueAt = (object: object, path: string): unknown =>
  fieldsOf(path).reduce<unknown>(
    (value, field) => (typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined),
    object,
  );

/** The Scale of an object. */
export function toScale(info: ResourceInfo, object: AnyObject): Scale {
  const paths = pathsOf(info);
  const wanted = valueAt(object, paths.specReplicasPath);
  if (typeof wanted !== 'number' && info.source === 'custom') {
    throw internal(`the spec replicas field ${JSON.stringify(paths.specReplicasPath)} does not exist`);
  }
  const replicas = valueAt(object, paths.statusReplicasPath);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata ?? {};
  const selector = selectorOf(info, object, paths);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: Object.fromEntries(
      Object.entries({ name, namespace, uid, resourceVersion, creationTimestamp }).filter(
        ([, value]) => value !== undefined,
      ),
    ),
    // No replicas at all are not written.
    spec: typeof wanted === 'number' && wanted !== 0 ? { replicas: wanted } : {},
    status: { replicas: typeof replicas === 'number' ? replicas : 0, ...(selector !== '' && { selector }) },
  };
}

/** Built-in kinds have a selector object, custom ones a text where their definition says. */
function selectorOf(info: ResourceInfo, object: AnyObject, { labelSelectorPath }: ScalePaths): string {
  if (info.source === 'custom') {
    const text = labelSelectorPath === undefined ? undefined : valueAt(object, labelSelectorPath);
    return typeof text === 'string' ? text : '';
  }
  const given = valueAt(object, '.spec.selector');
  if (!given) return '';
  // Replication controllers are older than selectors with expressions.
  const selector = (info.storage === '/replicationcontrollers' ? { matchLabels: given } : given) as LabelSelector;
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([left], [right]) => (left < right ? -1 : 1));
  return formatLabelSelector({ ...selector, matchLabels: Object.fromEntries(labels) });
}

/** The object with the replicas of its Scale. */
function withReplicas(info: ResourceInfo, object: AnyObject, replicas: number): AnyObject {
  const set = (value: unknown, [field, ...rest]: string[]): unknown => {
    if (field === undefined) return replicas;
    const fields = typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
    return { ...fields, [field]: set(fields[field], rest) };
  };
  const fields = fieldsOf(pathsOf(info).specReplicasPath);
  const [first = '', ...rest] = fields;
  if (first !== 'spec') throw badRequest(`replicas at ${pathsOf(info).specReplicasPath} cannot be set`);
  return { ...object, spec: set(object.spec, rest) };
}

/** Where each served version of the kind keeps its replicas. */
const replicasPaths = (registry: Registry, info: ResourceInfo): ReplicasPaths =>
  new Map(
    registry
      .all()
      .filter(({ storage }) => storage === info.storage)
      .map((version) => [apiVersionOf(version), fieldPath(...fieldsOf(pathsOf(version).specReplicasPath))]),
  );

/** The Scale of an object with those managedFields that are about its replicas. */
export function toManagedScale(registry: Registry, info: ResourceInfo, object: AnyObject): Scale {
  const scale = toScale(info, object);
  const managedFields = toScaleManagedFields(object.metadata?.managedFields, replicasPaths(registry, info));
  return { ...scale, metadata: { ...scale.metadata, managedFields } };
}

/** The object behind a Scale, with its replicas and with the managers of these. */
export function fromScale(registry: Registry, info: ResourceInfo, object: AnyObject, scale: Scale): AnyObject {
  const scaled = withReplicas(info, object, scale.spec?.replicas ?? 0);
  const managedFields = fromScaleManagedFields(
    object.metadata?.managedFields,
    scale.metadata?.managedFields,
    apiVersionOf(info),
    replicasPaths(registry, info),
  );
  const resourceVersion = scale.metadata?.resourceVersion || object.metadata?.resourceVersion;
  return { ...scaled, metadata: { ...scaled.metadata, resourceVersion, managedFields } };
}
