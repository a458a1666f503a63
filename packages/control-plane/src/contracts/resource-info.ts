import type { KubeObject } from '@flotilla/schema';
import type { StorageResource } from './storage.ts';
import type { StructuralSchema } from './structural-schema.ts';
import type { ClientConfig } from './webhook-caller.ts';

/** A column of `kubectl get`. The cells of custom resources come from a JSON path, those of built-in kinds from `discovery/`. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  /** 0 is always shown, more only with `-o wide`. */
  readonly priority?: number;
  readonly jsonPath?: string;
}

export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** A subresource such as `status`, `scale`, `token`; its body may be of another kind than the resource. */
export interface SubresourceInfo {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** One served version of one resource, built-in or custom: all that the verbs and discovery need to know. */
export interface ResourceInfo {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** Empty for a kind that is only a subresource's body. */
  readonly verbs: readonly string[];
  readonly storage: StorageResource;
  /** The version objects are stored in. */
  readonly storageVersion: string;
  readonly schema: StructuralSchema;
  readonly subresources: readonly SubresourceInfo[];
  /** Where the scale of a custom resource is; built-in kinds know. */
  readonly scalePaths?: ScalePaths;
  readonly columns: readonly TableColumn[];
  /** Field selectors beyond metadata.name and metadata.namespace, as `spec.nodeName`. */
  readonly selectableFields: readonly string[];
  readonly source: 'built-in' | 'custom';
  readonly deprecationWarning?: string;
  /** Drops what another version than the stored one does not know; unset where there is nothing to drop. */
  readonly fromStorage?: (object: KubeObject) => KubeObject;
  /** The same on the way to the storage. */
  readonly toStorage?: (object: KubeObject) => KubeObject;
  /** Gives a stored object the defaults that its definition got after it was stored; unset where there are none. */
  readonly defaultStored?: (object: KubeObject) => KubeObject;
  /** Who converts between versions; unset where conversion changes apiVersion only. */
  readonly conversion?: ConversionWebhook;
}

/** The conversion webhook of a definition. */
export interface ConversionWebhook {
  readonly clientConfig: ClientConfig;
  readonly conversionReviewVersions: readonly string[];
  /** A stored object with the defaults of the version that it is stored in, which is what a webhook gets to see. */
  readonly defaultStored: (object: KubeObject) => KubeObject;
}

/** `v1` or `group/v1`. */
export const apiVersionOf = (info: { group: string; version: string }): string =>
  info.group === '' ? info.version : `${info.group}/${info.version}`;

export const hasSubresource = (info: ResourceInfo, name: string): boolean =>
  info.subresources.some((subresource) => subresource.name === name);

/** All served resources; custom ones come and go with their definitions. */
export interface Registry {
  lookup(group: string, version: string, plural: string): ResourceInfo | undefined;
  forKind(group: string, version: string, kind: string): ResourceInfo | undefined;
  /** In the order of the API: built-in groups first, custom ones by name. */
  all(): readonly ResourceInfo[];
  /** Replaces the served versions of one custom resource; an empty list stops serving it. */
  setCustom(storage: StorageResource, versions: readonly ResourceInfo[]): void;
  /** Ends what was begun with the versions that the resource had until now: its watches. */
  retire(storage: StorageResource): void;
  /** Calls back once when the versions of the resource are retired, unless the result is called before. */
  onRetired(storage: StorageResource, listener: () => void): () => void;
  /** Grows with each change: documents made from the registry are made again when it does. */
  readonly generation: number;
}
