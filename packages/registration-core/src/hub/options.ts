import { ApiGroup, managedClusterAddOns, manifestWorks } from '@flotilla/api-types';
import { KubeError, type Logger } from '@flotilla/kube';
import { defineOptions } from '@flotilla/process';
import type { ResourceType } from '@flotilla/schema';
import { type DuplicateIdentity, duplicateIdentityPolicies } from './identity/identity.policy.ts';

/** The flags of the hub's registration controllers, with OCM's names and defaults; the last three are Flotilla's own. */
export const hubOptions = defineOptions({
  labels: {
    type: 'string',
    default: '',
    description: 'Labels (k1=v1,k2=v2) on every namespace, role and binding that the hub makes for a cluster.',
  },
  gcResourceList: {
    type: 'list',
    default: [
      `${ApiGroup.AddOn}/${managedClusterAddOns.version}/${managedClusterAddOns.plural}`,
      `${ApiGroup.Work}/${manifestWorks.version}/${manifestWorks.plural}`,
    ],
    description:
      'What is deleted from the namespace of a removed cluster, in this order, each as group/version/resource.',
  },
  leaseGraceFactor: {
    type: 'number',
    default: 5,
    min: 2,
    description: 'How many lease durations without a heartbeat make a cluster unknown. OCM has 5; 2 is the fastest.',
  },
  removalTimeout: {
    type: 'duration',
    default: '0s',
    description:
      'How long the agents of a deleted cluster may take to remove what they applied; then its add-ons and works go without them. 0: as long as they need.',
  },
  duplicateIdentity: {
    type: 'choice',
    choices: duplicateIdentityPolicies,
    default: 'warn',
    description:
      'What to do about a second name of one cluster. refuse: never accept it. warn: accept it only if an administrator does, and say so in its condition IdentityUnique. allow: do not compare identities, as OCM.',
  },
});

/** The options of the hub's controllers. */
export interface HubOptions {
  /** Extra labels on what is made for a cluster. */
  readonly labels: Readonly<Record<string, string>>;
  /** What is deleted from the namespace of a removed cluster, in order. */
  readonly cleanup: readonly ResourceType[];
  /** Lease durations without a heartbeat until a cluster is unknown. */
  readonly leaseGraceFactor: number;
  /** After how long a deleted cluster goes without its agents, milliseconds; 0 for never. */
  readonly removalTimeoutMs: number;
  /** What to do about a second name of one cluster. */
  readonly duplicateIdentity: DuplicateIdentity;
}

/** OCM's defaults, and Flotilla's for its own. */
export const defaultHubOptions: HubOptions = {
  labels: {},
  cleanup: [managedClusterAddOns, manifestWorks],
  leaseGraceFactor: 5,
  removalTimeoutMs: 0,
  duplicateIdentity: 'warn',
};

/** The labels of `--labels`; words of refusal are OCM's. */
export function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  if (text.trim() === '') return labels;
  for (const part of text.split(',')) {
    const pieces = part.split('=').map((piece) => piece.trim());
    const [key = '', value = ''] = pieces;
    if (pieces.length !== 2) throw new KubeError('Config', `unexpected label spec: ${part}`);
    if (key === '') throw new KubeError('Config', 'unexpected empty label key');
    labels[key] = value;
  }
  return labels;
}

const known: readonly ResourceType[] = [managedClusterAddOns, manifestWorks];

/** The kinds of `--gc-resource-list`; an entry that is not group/version/resource is logged and left out, as OCM does. */
export function parseCleanupList(entries: readonly string[], log: Logger): ResourceType[] {
  const types: ResourceType[] = [];
  for (const entry of entries) {
    if (entry === '') continue;
    const [group = '', version = '', plural = '', ...rest] = entry.split('/');
    if (rest.length > 0 || version === '' || plural === '') {
      log.warn('an entry of gc-resource-list is not group/version/resource and is left out', { entry });
      continue;
    }
    const type = known.find((k) => k.group === group && k.version === version && k.plural === plural);
    // Only metadata is read, so the kind is for log lines only.
    types.push(type ?? { group, version, plural, kind: plural, namespaced: true });
  }
  return types;
}
