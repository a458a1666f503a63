import {
  Annotation,
  Label,
  type ManagedClusterAddOn,
  type ManifestConfigOption,
  type ManifestWork,
  type ManifestWorkSpec,
} from '@flotilla/api-types';
import { ownerReferenceTo } from '@flotilla/kube';
import type { EmbeddedResource, ResourceType } from '@flotilla/schema';
import { isOrphaned } from '../manifests/marks.ts';
import { groupOf, guessResource, type RenderedManifest } from '../manifests/rendered-manifest.ts';
import { configHashes } from './config-hashes.ts';

/** What a work is made from. */
export interface WorkInput {
  readonly name: string;
  /** Of the cluster that applies it. */
  readonly namespace: string;
  readonly manifests: readonly EmbeddedResource[];
  readonly manifestConfigs: readonly ManifestConfigOption[];
  readonly deleteOption?: ManifestWorkSpec['deleteOption'];
  /** The kind of the add-on in a version that the hub serves. */
  readonly ownerType: ResourceType;
}

/** A work of an add-on. One in the namespace of the add-on goes with it; one elsewhere names it by labels, as owners do not reach that far. */
export function addonWork(addon: ManagedClusterAddOn, input: WorkInput): ManifestWork {
  const { name, namespace, manifests, manifestConfigs, deleteOption, ownerType } = input;
  const { name: addonName = '', namespace: addonNamespace = '' } = addon.metadata ?? {};
  const isOwn = namespace === addonNamespace;
  const hashes = configHashes(addon.status?.configReferences);
  return {
    metadata: {
      name,
      namespace,
      labels: { [Label.AddOnName]: addonName, ...(!isOwn && { [Label.AddOnNamespace]: addonNamespace }) },
      ...(hashes !== undefined && { annotations: { [Annotation.ConfigSpecHash]: hashes } }),
      ...(isOwn && {
        ownerReferences: [ownerReferenceTo(ownerType, addon, { controller: true, blockOwnerDeletion: true })],
      }),
    },
    spec: {
      workload: { manifests: [...manifests] },
      ...(deleteOption && { deleteOption }),
      ...(manifestConfigs.length > 0 && { manifestConfigs: [...manifestConfigs] }),
    },
  };
}

/** Leaves marked objects on the cluster when the works go. */
export function orphaning(manifests: readonly RenderedManifest[]): ManifestWorkSpec['deleteOption'] {
  const orphaningRules = manifests.filter(isOrphaned).flatMap(({ apiVersion, kind, metadata }) => {
    const named = metadata.annotations?.[Annotation.DeletionOrphan];
    // The annotation of a manifest that others wrote may have any value: the usual name always counts.
    return [...new Set([guessResource(kind), ...(named ? [named] : [])])].map((resource) => ({
      group: groupOf(apiVersion),
      resource,
      ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
      name: metadata.name,
    }));
  });
  if (orphaningRules.length === 0) return undefined;
  return { propagationPolicy: 'SelectivelyOrphan', selectivelyOrphans: { orphaningRules } };
}
