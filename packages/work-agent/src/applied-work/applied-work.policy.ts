import {
  type AppliedManifestResource,
  type AppliedManifestWork,
  Finalizer,
  type ManifestResourceMeta,
  type ManifestWork,
} from '@flotilla/api-types';
import { joinKey } from '@flotilla/kube';
import type { ResourceType } from '@flotilla/schema';
import { identityOf } from '../manifest.ts';
import type { ObjectAddress } from '../watch/object-tracker.ts';

/** Whose works these are. */
export interface AgentIdentity {
  /** Identifies the hub. */
  readonly hubHash: string;
  /** Hashes under which earlier agents recorded works of the same hub, because they used another of its addresses. */
  readonly formerHubHashes: readonly string[];
  /** Identifies an agent among those of one cluster. */
  readonly agentID: string;
  /** What this agent was called before: its records are adopted. */
  readonly formerAgentIDs: readonly string[];
}

/** Whether this agent made the record, now or under an earlier name. */
export const isOwnRecord = ({ spec }: AppliedManifestWork, { agentID, formerAgentIDs }: AgentIdentity): boolean =>
  spec?.agentID === agentID || formerAgentIDs.includes(spec?.agentID ?? '');

/**
 * The merge patch by which this agent takes a record over from the agent that made it; undefined if it is this agent's. Only the agent
 * that is named in a record removes what it lists.
 */
export function adoptionOf({ metadata, spec }: AppliedManifestWork, { agentID }: AgentIdentity): object | undefined {
  if (spec?.agentID === agentID) return undefined;
  const { uid, resourceVersion } = metadata ?? {};
  return { metadata: { uid, resourceVersion }, spec: { agentID } };
}

/** The name of what a work of this hub applied. */
export const appliedWorkName = (hubHash: string, workName: string): string => `${hubHash}-${workName}`;

/** The name of the work behind an AppliedManifestWork of this hub; undefined if it is of another hub. */
export const workNameOf = (hubHash: string, name: string): string | undefined =>
  name.startsWith(`${hubHash}-`) ? name.slice(hubHash.length + 1) : undefined;

/** The names of what a work of this hub applied, as earlier agents may have recorded it. */
export const formerNames = ({ formerHubHashes }: AgentIdentity, workName: string): string[] =>
  formerHubHashes.map((hash) => appliedWorkName(hash, workName));

/** Whether all that one record lists is listed by another one, too: it may go without anything going with it. */
export function isCoveredBy({ status }: AppliedManifestWork, other: AppliedManifestWork | undefined): boolean {
  const covered = new Map(other?.status?.appliedResources?.map((resource) => [identityOf(resource), resource.uid]));
  return (status?.appliedResources ?? []).every((resource) => covered.get(identityOf(resource)) === resource.uid);
}

/** The AppliedManifestWork of a work, as it is created. */
export function newAppliedWork(work: ManifestWork, { hubHash, agentID }: AgentIdentity): AppliedManifestWork {
  const name = work.metadata?.name ?? '';
  const labels = work.metadata?.labels;
  return {
    metadata: {
      name: appliedWorkName(hubHash, name),
      ...(labels && { labels }),
      finalizers: [Finalizer.AppliedManifestWorkCleanup],
    },
    spec: { hubHash, agentID, manifestWorkName: name },
  };
}

const compare = (a: string | undefined, b: string | undefined): number => {
  const [left = '', right = ''] = [a, b];
  return left < right ? -1 : left > right ? 1 : 0;
};

/** The order in which applied resources are listed. */
export const sortResources = (resources: readonly AppliedManifestResource[]): AppliedManifestResource[] =>
  [...resources].sort(
    (a, b) =>
      compare(a.group, b.group) ||
      compare(a.version, b.version) ||
      compare(a.resource, b.resource) ||
      compare(a.namespace, b.namespace) ||
      compare(a.name, b.name),
  );

/** How an applied object is listed. */
export const resourceOf = (
  { group = '', version = '', resource = '', namespace = '', name = '' }: ManifestResourceMeta,
  uid: string,
): AppliedManifestResource => ({ group, version, resource, name, namespace, uid });

/** Whether two lists say the same. */
export const sameResources = (a: readonly AppliedManifestResource[], b: readonly AppliedManifestResource[]): boolean =>
  a.length === b.length &&
  a.every((resource, index) => {
    const other = b[index];
    return (
      other !== undefined &&
      identityOf(resource) === identityOf(other) &&
      resource.version === other.version &&
      resource.uid === other.uid
    );
  });

/** Previously applied resources that no manifest names; another version of the same object is the same object. */
export function untracked(
  before: readonly AppliedManifestResource[],
  wanted: readonly AppliedManifestResource[],
): AppliedManifestResource[] {
  const identities = new Set(wanted.map(identityOf));
  return before.filter((resource) => !identities.has(identityOf(resource)));
}

/** Where an applied object is. The kind is not recorded, and not needed to find it. */
export function addressOf({
  group = '',
  version,
  resource,
  namespace = '',
  name,
}: AppliedManifestResource): ObjectAddress {
  const type: ResourceType = { group, version, kind: '', plural: resource, namespaced: namespace !== '' };
  return { type, key: joinKey(namespace, name) };
}
