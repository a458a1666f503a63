import type { AdmissionRefusal } from '@flotilla/kube/admission';
import { isRecord } from '@flotilla/schema';
import { manifestSize } from './manifest-size.ts';
import { refuse } from './refusal.ts';

const list = 'spec.workload.manifests';

/** What a manifest says that it is; empty where it says nothing that can be understood. */
interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly generateName: string;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function identityOf(manifest: unknown): Identity {
  const { apiVersion, kind, metadata } = isRecord(manifest) ? manifest : {};
  const { namespace, name, generateName } = isRecord(metadata) ? metadata : {};
  return {
    apiVersion: text(apiVersion),
    kind: text(kind),
    namespace: text(namespace),
    name: text(name),
    generateName: text(generateName),
  };
}

/** `v1 ConfigMap default/hello`, for messages. */
const describe = ({ apiVersion, kind, namespace, name }: Identity): string =>
  `${apiVersion} ${kind} ${namespace ? `${namespace}/` : ''}${name || '(without a name)'}`.trim();

/** Checks the manifests of a work as OCM does, in OCM's order: none, too many bytes, then one after the other. */
export function validateManifests(manifests: readonly unknown[], limit: number): AdmissionRefusal | undefined {
  if (manifests.length === 0) {
    return refuse('manifests should not be empty', {
      field: list,
      reason: 'FieldValueRequired',
      error: 'it is empty',
      fix: 'put at least one manifest there',
    });
  }
  return refuseSize(manifests, limit) ?? refuseFirst(manifests);
}

function refuseSize(manifests: readonly unknown[], limit: number): AdmissionRefusal | undefined {
  const sizes = manifests.map(manifestSize);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= limit) return undefined;
  const largest = sizes.indexOf(Math.max(...sizes));
  return refuse(`the size of manifests is ${total} bytes which exceeds the ${limit} limit`, {
    field: list,
    reason: 'FieldValueTooLong',
    error: `the largest is [${largest}], ${describe(identityOf(manifests[largest]))}, with ${sizes[largest]} bytes`,
    fix: 'spread the manifests over several works, or start the webhook with a larger --manifestLimit',
  });
}

function refuseFirst(manifests: readonly unknown[]): AdmissionRefusal | undefined {
  const seen = new Map<string, number>();
  for (const [index, manifest] of manifests.entries()) {
    const identity = identityOf(manifest);
    const field = `${list}[${index}]`;
    const refusal = refuseIdentity(manifest, identity, field);
    if (refusal) return refusal;
    const { apiVersion, kind, namespace, name } = identity;
    const key = JSON.stringify([apiVersion, kind, namespace, name]);
    const earlier = seen.get(key);
    if (earlier !== undefined) {
      return refuse(`duplicate manifest for resource ${namespace}/${name} with resource type ${apiVersion}.${kind}`, {
        field,
        reason: 'FieldValueDuplicate',
        error: `it is the same object as [${earlier}]`,
        fix: 'leave one of them out',
      });
    }
    seen.set(key, index);
  }
  return undefined;
}

function refuseIdentity(manifest: unknown, identity: Identity, field: string): AdmissionRefusal | undefined {
  if (identity.kind === '') {
    return refuse(`Object 'Kind' is missing in '${JSON.stringify(manifest)}'`, {
      field: `${field}.kind`,
      reason: 'FieldValueRequired',
      error: 'it is not set',
      fix: 'set it, such as ConfigMap',
    });
  }
  if (identity.name === '') {
    return refuse('name must be set in manifest', {
      field: `${field}.metadata.name`,
      reason: 'FieldValueRequired',
      error: `${identity.kind} has no name`,
      fix: 'set it: the agent finds the object by its name again',
    });
  }
  if (identity.generateName !== '') {
    return refuse('generateName must not be set in manifest', {
      field: `${field}.metadata.generateName`,
      reason: 'FieldValueForbidden',
      error: `${describe(identity)} sets it to "${identity.generateName}"`,
      fix: 'leave it out: a new object would be made at each update',
    });
  }
  return undefined;
}
