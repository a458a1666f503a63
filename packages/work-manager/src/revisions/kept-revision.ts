import { specHash } from '../replica-set/template.ts';
import { type ControllerRevision, templateOfRevision } from './controller-revision.ts';

/** A revision without its template: eleven of them for each replica set may have half a megabyte each. */
export interface KeptRevision extends ControllerRevision {
  /** Of the template, which is dropped. */
  readonly templateHash?: string;
}

/** Drops the template of a revision, and keeps its hash. */
export function keptRevisionOf(revision: ControllerRevision): KeptRevision {
  const { managedFields: _, ...metadata } = revision.metadata ?? {};
  return { metadata, revision: revision.revision, templateHash: specHash(templateOfRevision(revision)) };
}
