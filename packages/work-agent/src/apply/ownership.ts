import {
  type AppliedManifestWork,
  appliedManifestWorks,
  type ManifestResourceMeta,
  type ManifestWorkDeleteOption,
} from '@flotilla/api-types';
import { ownerReferenceTo } from '@flotilla/kube';
import type { ObjectMeta, OwnerReference } from '@flotilla/schema';
import { splitApiVersion } from '../manifest.ts';

/** Whether an object goes with the work: not if it is orphaned, as a whole or by a rule that names it. */
export function isOwned(option: ManifestWorkDeleteOption | undefined, meta: ManifestResourceMeta): boolean {
  switch (option?.propagationPolicy) {
    case 'Orphan':
      return false;
    case 'SelectivelyOrphan':
      return !orphansOf(option.selectivelyOrphans?.orphaningRules ?? none).has(namesOf(meta));
    default:
      return true;
  }
}

type NamedObject = Pick<ManifestResourceMeta, 'group' | 'resource' | 'namespace' | 'name'>;
type OrphaningRules = readonly NamedObject[];
const none: OrphaningRules = [];

/** All by which a rule names an object. */
const namesOf = ({ group = '', resource = '', namespace = '', name = '' }: NamedObject): string =>
  JSON.stringify([group, resource, namespace, name]);

/** Works in a cache do not change: each list is read once. A work may have thousands of rules, and of manifests. */
const orphans = new WeakMap<OrphaningRules, ReadonlySet<string>>();

/** The identities of the objects that rules name. */
function orphansOf(rules: OrphaningRules): ReadonlySet<string> {
  const known = orphans.get(rules) ?? new Set(rules.map(namesOf));
  orphans.set(rules, known);
  return known;
}

/** The reference to an AppliedManifestWork that its objects carry. */
export const ownerOf = (appliedWork: AppliedManifestWork): OwnerReference =>
  ownerReferenceTo(appliedManifestWorks, appliedWork);

/** What a merge of owner references understands as: remove this one. */
export const removalOf = (owner: OwnerReference): OwnerReference => ({ ...owner, uid: `${owner.uid}-` });

const isSameOwner = (a: OwnerReference, b: OwnerReference): boolean =>
  a.name === b.name && a.kind === b.kind && splitApiVersion(a.apiVersion).group === splitApiVersion(b.apiVersion).group;

const isSameReference = (a: OwnerReference, b: OwnerReference): boolean =>
  a.uid === b.uid &&
  a.apiVersion === b.apiVersion &&
  (a.controller ?? false) === (b.controller ?? false) &&
  (a.blockOwnerDeletion ?? false) === (b.blockOwnerDeletion ?? false);

/** The owners with the wanted ones among them, or removed where the uid ends with `-`; the same list if nothing changes. */
export function mergeOwners(
  live: readonly OwnerReference[] | undefined,
  wanted: readonly OwnerReference[] | undefined,
): readonly OwnerReference[] {
  let owners = live ?? [];
  for (const owner of wanted ?? []) {
    const known = owners.find((other) => isSameOwner(other, owner));
    if (owner.uid.endsWith('-')) {
      if (known) owners = owners.filter((other) => other !== known);
    } else if (!known) {
      owners = [...owners, owner];
    } else if (!isSameReference(known, owner)) {
      owners = owners.map((other) => (other === known ? owner : other));
    }
  }
  return owners;
}

/** The merge patch that makes an object owned as wanted; undefined if it is. */
export function ownersPatch(live: ObjectMeta, wanted: readonly OwnerReference[]): object | undefined {
  const before = live.ownerReferences ?? [];
  const owners = mergeOwners(before, wanted);
  if (owners === before) return undefined;
  const { uid, resourceVersion } = live;
  return { metadata: { uid, resourceVersion, ownerReferences: owners } };
}
