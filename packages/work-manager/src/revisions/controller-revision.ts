import { Label, type ManifestWorkReplicaSet, type ManifestWorkSpec } from '@flotilla/api-types';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { isRecord } from '@flotilla/schema';

/** A state of an object that its controller keeps, as StatefulSets and DaemonSets do. */
export interface ControllerRevision extends KubeObject {
  /** What is kept; for a replica set the part of it that `undo` patches. */
  data?: unknown;
  /** Counts up. */
  revision: number;
}

/** How clients call ControllerRevisions. */
export const controllerRevisions: ResourceType<ControllerRevision> = {
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  namespaced: true,
};

/** Which revisions are of replica sets. */
export const revisionSelector: string = Label.ManifestWorkReplicaSet;

/** The template that a revision keeps. */
export function templateOfRevision({ data }: ControllerRevision): ManifestWorkSpec | undefined {
  const spec = isRecord(data) ? data.spec : undefined;
  const template = isRecord(spec) ? spec.manifestWorkTemplate : undefined;
  // It was the template of an object that the API server had checked.
  return isRecord(template) ? (template as ManifestWorkSpec) : undefined;
}

/** Revisions of a replica set, the newest first. */
export const revisionsOf = <T extends ControllerRevision>(
  { metadata }: ManifestWorkReplicaSet,
  revisions: readonly T[],
): T[] =>
  revisions
    .filter((revision) => revision.metadata?.ownerReferences?.some(({ uid }) => uid === metadata?.uid))
    .sort((a, b) => b.revision - a.revision);
