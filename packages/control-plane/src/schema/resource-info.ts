import type { StorageResource } from '../storage/storage.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** A column of `kubectl get`: where its cells come from is a JSON path, or a function for built-in kinds. */
export interface TableColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** 0 is always shown, more only with `-o wide`. */
  readonly priority?: number;
  readonly jsonPath?: string;
}

export interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
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
  readonly verbs: readonly string[];
  readonly storage: StorageResource;
  /** The version objects are stored in; conversion between versions changes apiVersion only. */
  readonly storageVersion: string;
  readonly schema: StructuralSchema;
  readonly status: boolean;
  readonly scale?: ScaleSubresource;
  /** Names of further subresources: `approval`, `token`, `eviction`, `finalize`, … */
  readonly subresources: readonly string[];
  readonly columns: readonly TableColumn[];
  /** Field selectors beyond metadata.name and metadata.namespace, as `spec.nodeName`. */
  readonly selectableFields: readonly string[];
  readonly source: 'built-in' | 'custom';
  readonly deprecationWarning?: string;
}

/** All served resources; custom ones come and go with their definitions. */
export interface Registry {
  lookup(group: string, version: string, plural: string): ResourceInfo | undefined;
  forKind(group: string, version: string, kind: string): ResourceInfo | undefined;
  all(): readonly ResourceInfo[];
  /** Replaces the served versions of one custom resource; an empty list stops serving it. */
  setCustom(storage: StorageResource, versions: readonly ResourceInfo[]): void;
  /** Grows with each change: discovery and OpenAPI documents are made again when it does. */
  readonly generation: number;
}
