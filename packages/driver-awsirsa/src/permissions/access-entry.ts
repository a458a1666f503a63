import { isDeepStrictEqual } from 'node:util';
import {
  type AccessEntry,
  CreateAccessEntryCommand,
  DeleteAccessEntryCommand,
  DescribeAccessEntryCommand,
  type EKSClient,
  TagResourceCommand,
  UpdateAccessEntryCommand,
} from '@aws-sdk/client-eks';
import { type AwsAction, AwsCallError, callAws, hasName } from '../aws-error.ts';
import { missingTags } from '../resource-tags.ts';
import type { ClusterRole } from './cluster-role.ts';

/** The role is a user of the hub already, under the name of another cluster. */
class EntryOfAnotherCluster extends Error {
  constructor({ roleArn, cluster }: ClusterRole, owner: string | undefined) {
    super(
      `the EKS access entry of ${roleArn} belongs to ManagedCluster "${owner}", not to "${cluster}": both have the same ARN. ` +
        `Remove one of the two ManagedClusters, or correct the ARN of "${cluster}".`,
    );
    this.name = 'EntryOfAnotherCluster';
  }
}

const entryOf = ({ hubName, roleArn }: ClusterRole) => `access entry ${hubName}/${roleArn}`;
const call = <T>(action: AwsAction, role: ClusterRole, send: () => Promise<T>): Promise<T> =>
  callAws(action, entryOf(role), send);

const keyOf = ({ hubName, roleArn }: ClusterRole) => ({ clusterName: hubName, principalArn: roleArn });

const describe = async (eks: EKSClient, role: ClusterRole, signal: AbortSignal): Promise<AccessEntry | undefined> =>
  (await eks.send(new DescribeAccessEntryCommand(keyOf(role)), { abortSignal: signal })).accessEntry;

/** The entry of the role; undefined if there is none. */
async function findEntry(eks: EKSClient, role: ClusterRole, signal: AbortSignal): Promise<AccessEntry | undefined> {
  return call('eks:DescribeAccessEntry', role, async () => {
    try {
      return await describe(eks, role, signal);
    } catch (error) {
      if (hasName(error, 'ResourceNotFoundException')) return undefined;
      throw error;
    }
  });
}

/** Creates the entry, or corrects the groups and the tags of the one that is there. Throws for an entry of another cluster. */
export async function ensureAccessEntry(eks: EKSClient, role: ClusterRole, signal: AbortSignal): Promise<void> {
  const { cluster: username, groups, tags } = role;
  const options = { abortSignal: signal };
  const kubernetesGroups = [...groups];
  const create = new CreateAccessEntryCommand({ ...keyOf(role), username, kubernetesGroups, tags: { ...tags } });
  try {
    await eks.send(create, options);
    return;
  } catch (error) {
    if (!hasName(error, 'ResourceInUseException')) {
      throw new AwsCallError('eks:CreateAccessEntry', entryOf(role), error);
    }
  }
  const entry = await call('eks:DescribeAccessEntry', role, () => describe(eks, role, signal));
  if (entry?.username !== username) throw new EntryOfAnotherCluster(role, entry?.username);
  if (!isDeepStrictEqual(entry.kubernetesGroups, kubernetesGroups)) {
    const update = new UpdateAccessEntryCommand({ ...keyOf(role), username, kubernetesGroups });
    await call('eks:UpdateAccessEntry', role, () => eks.send(update, options));
  }
  const missing = missingTags(tags, entry.tags);
  if (missing && entry.accessEntryArn) {
    const tag = new TagResourceCommand({ resourceArn: entry.accessEntryArn, tags: missing });
    await call('eks:TagResource', role, () => eks.send(tag, options));
  }
}

/** Whether the role is a user of the hub under the name of this cluster. */
export const hasAccessEntry = async (eks: EKSClient, role: ClusterRole, signal: AbortSignal): Promise<boolean> =>
  (await findEntry(eks, role, signal))?.username === role.cluster;

/** Deletes the entry of this cluster. True if the role has no entry any more; false if it has one of another cluster, which stays. */
export async function deleteAccessEntry(eks: EKSClient, role: ClusterRole, signal: AbortSignal): Promise<boolean> {
  const entry = await findEntry(eks, role, signal);
  if (!entry) return true;
  if (entry.username !== role.cluster) return false;
  return call('eks:DeleteAccessEntry', role, async () => {
    try {
      await eks.send(new DeleteAccessEntryCommand(keyOf(role)), { abortSignal: signal });
    } catch (error) {
      if (!hasName(error, 'ResourceNotFoundException')) throw error;
    }
    return true;
  });
}
