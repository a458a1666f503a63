import type { EmbeddedResource } from '@flotilla/schema';

/** A config map in `default`, or elsewhere. */
export const configMap = (
  name: string,
  data: Record<string, string> = {},
  namespace = 'default',
): EmbeddedResource => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name },
  data,
});

/** The usual example pod. */
export const helloPod = (name = 'hello'): EmbeddedResource => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name },
  spec: {
    containers: [{ name: 'hello', image: 'busybox', command: ['sh', '-c', 'echo "Hello, Flotilla!" && sleep 3600'] }],
  },
});

/** A definition of a kind of its own, with any content. */
export const definition = (plural: string, kind: string): EmbeddedResource => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.e2e.flotilla.example` },
  spec: {
    group: 'e2e.flotilla.example',
    scope: 'Namespaced',
    names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});

/** An object of that kind. */
export const instance = (kind: string, name: string, size = 1): EmbeddedResource => ({
  apiVersion: 'e2e.flotilla.example/v1',
  kind,
  metadata: { namespace: 'default', name },
  spec: { size },
});

/** A config of one manifest of a work. */
export const configOf = <T extends object>(resource: string, name: string, settings: T, group = '') => ({
  resourceIdentifier: { group, resource, namespace: 'default', name },
  ...settings,
});
