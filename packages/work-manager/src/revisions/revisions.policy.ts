import { Annotation, type ManifestWorkReplicaSet } from '@flotilla/api-types';
import type { KeptRevision } from './kept-revision.ts';

const defaultLimit = 10;

/** How many templates are kept besides the current one. What is not a count means the default. */
export function historyLimitOf({ metadata }: ManifestWorkReplicaSet): number {
  const text = metadata?.annotations?.[Annotation.RevisionHistoryLimit] ?? '';
  return /^\d{1,4}$/.test(text) ? Number(text) : defaultLimit;
}

/** What to do so that the current template is the newest revision and not too many are kept. */
export interface RevisionPlan {
  /** The number of a revision to create. */
  readonly create?: number;
  /** A revision that gets another number: its template is the current one again. */
  readonly renumber?: { readonly revision: KeptRevision; readonly number: number };
  readonly delete: readonly KeptRevision[];
}

/** Decides about the revisions of a replica set, which are given with the newest first. */
export function planRevisions(template: string, revisions: readonly KeptRevision[], limit: number): RevisionPlan {
  const [newest] = revisions;
  const current = revisions.find(({ templateHash }) => templateHash === template);
  const next = (newest?.revision ?? 0) + 1;
  return {
    ...(!current && { create: next }),
    ...(current && current !== newest && { renumber: { revision: current, number: next } }),
    delete: revisions.filter((revision) => revision !== current).slice(limit),
  };
}
