import type { KubeObject } from '@flotilla/schema';

/** An object as it may be printed: the values of Secrets are left out. */
export function withoutSecrets(object: KubeObject): KubeObject {
  if (object.kind !== 'Secret' || !('data' in object) || !object.data) return object;
  const keys = Object.keys(object.data);
  return { ...object, ...{ data: Object.fromEntries(keys.map((key) => [key, 'PHJlZGFjdGVkPg=='])) } };
}
