import type { CustomResourceDefinition } from '@flotilla/kube/kinds';
import type { EmbeddedResource } from '@flotilla/schema';

const namespace = 'default';

/** A config map in a namespace that is always there. */
export const configMap = (name: string, value: string): EmbeddedResource => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name },
  data: { value },
});

/** A pod that does not run, so that its status is as the benchmark says. */
export const pod = (name: string): EmbeddedResource => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace, name },
  spec: { containers: [{ name: 'hello', image: 'busybox' }] },
});

/** A definition of a new kind. */
export const definition = (plural: string, kind: string): CustomResourceDefinition & EmbeddedResource => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.bench.flotilla.example` },
  spec: {
    group: 'bench.flotilla.example',
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
export const instance = (kind: string, name: string): EmbeddedResource => ({
  apiVersion: 'bench.flotilla.example/v1',
  kind,
  metadata: { namespace, name },
});
