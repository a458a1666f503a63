import type { EmbeddedResource, KubeObject } from '@flotilla/schema';

/** An object to apply on a cluster, of any kind. It needs `apiVersion`, `kind` and `metadata.name`. */
export type Manifest = KubeObject | EmbeddedResource;

/** A value, or a promise of one. */
export type Awaitable<T> = T | Promise<T>;
