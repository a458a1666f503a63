import type { KubeObject, ResourceType } from '@flotilla/schema';
import { KubeError } from '../errors/kube-error.ts';
import type { ObjectKey } from '../meta/keys.ts';
import { splitKey } from '../meta/keys.ts';

const plain = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** One segment of a path. What the API server's own rule for path segments forbids is refused, not escaped. */
export function pathSegment(field: string, value: string): string {
  if (plain.test(value)) return value;
  if (value === '' || value === '.' || value === '..' || /[/%]/.test(value)) {
    throw new KubeError('BadRequest', `${field} ${JSON.stringify(value)} cannot be part of a path`, {
      hint: 'It must not be empty, "." or "..", nor contain "/" or "%".',
    });
  }
  return encodeURIComponent(value);
}

/** Paths of one kind; parts that do not depend on the object are computed once. */
export interface ResourcePaths {
  /** Of the whole kind, or of one namespace of it. */
  collection(namespace: string | undefined): string;
  /** Where an object is created: its namespace is required if the kind has one. */
  creation(object: KubeObject): string;
  object(key: ObjectKey): string;
  /** Same, from the metadata of an object. */
  objectOf(object: KubeObject): string;
}

/** The paths of a kind. */
export function resourcePaths(type: ResourceType): ResourcePaths {
  const { group, version, plural, kind, namespaced } = type;
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const all = `${base}/${plural}`;
  const prefix = `${base}/namespaces/`;
  const suffix = `/${plural}`;

  const inNamespace = (namespace: string) => prefix + pathSegment('metadata.namespace', namespace) + suffix;
  const refuse = (message: string) =>
    new KubeError('BadRequest', message, {
      hint: namespaced
        ? `${kind} is namespaced: give \`namespace/name\`, or set metadata.namespace.`
        : `${kind} is of cluster scope: give the name alone.`,
    });

  const path = (namespace: string | undefined, name: string, subject: string) => {
    if (namespaced !== (namespace !== undefined)) {
      throw refuse(namespaced ? `${subject} of ${kind} lacks a namespace` : `${subject} of ${kind} has a namespace`);
    }
    const collection = namespace === undefined ? all : inNamespace(namespace);
    return `${collection}/${pathSegment('metadata.name', name)}`;
  };

  return {
    collection(namespace) {
      // As for client-go, an empty namespace means all.
      if (!namespace) return all;
      if (!namespaced) throw refuse(`${kind} cannot be listed in a namespace ("${namespace}")`);
      return inNamespace(namespace);
    },
    creation(object) {
      if (object.metadata?.resourceVersion) {
        // The server answers 500 to this, which reads as if trying again could help.
        throw new KubeError('BadRequest', `metadata.resourceVersion is set on a ${kind} to be created`, {
          hint: 'To copy an object, leave out resourceVersion, uid and creationTimestamp of the original.',
        });
      }
      if (!namespaced) return all;
      const namespace = object.metadata?.namespace;
      if (!namespace) throw refuse(`metadata.namespace is not set on this ${kind}`);
      return inNamespace(namespace);
    },
    object(key) {
      const { namespace, name } = splitKey(key);
      return path(namespace, name, `the key "${key}"`);
    },
    objectOf(object) {
      const name = object.metadata?.name;
      if (!name) throw refuse(`metadata.name is not set on this ${kind}`);
      // Some servers return cluster-scoped objects with an empty namespace.
      return path(object.metadata?.namespace || undefined, name, `the object "${name}"`);
    },
  };
}
