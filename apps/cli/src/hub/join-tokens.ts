import { NamespaceName } from '@flotilla/api-types';
import {
  bootstrapTokenAccess,
  isRestricted,
  joinTokenClusterRole,
  joinTokenGroups,
  joinTokenObjects,
  type RegistrationDrivers,
  withOwner,
} from '@flotilla/install';
import { type Clock, type KubeClient, keyOf, retryOnConflict } from '@flotilla/kube';
import {
  bootstrapTokenNamespace,
  bootstrapTokenSecret,
  bootstrapTokenSecretName,
  bootstrapTokenType,
  readBootstrapToken,
  type StoredBootstrapToken,
} from '@flotilla/kube/bootstrap-token';
import { clusterRoleBindings, clusterRoles, configMaps, secrets } from '@flotilla/kube/kinds';
import {
  type JoinToken,
  type JoinTokenRecord,
  joinTokenKey,
  joinTokenRole,
  readJoinToken,
} from '@flotilla/registration-core/contract';
import type { KubeObject } from '@flotilla/schema';
import { cliOwner } from '../cluster/owner.ts';
import { CliError } from '../errors/cli-error.ts';
import { signClusterInfo } from './sign-cluster-info.ts';

/** A token on the hub, and what it is restricted to. */
export interface ListedToken {
  readonly token: StoredBootstrapToken;
  readonly record?: JoinTokenRecord;
}

/** A token that is to be created. */
export interface NewToken {
  readonly token: Omit<StoredBootstrapToken, 'groups'>;
  readonly restriction: Omit<JoinToken, 'id' | 'expiresAt'>;
  /** Beside those that joining needs. */
  readonly groups?: readonly string[];
}

const secretKey = (id: string): string => `${bootstrapTokenNamespace}/${bootstrapTokenSecretName(id)}`;

/** Creates a token. One that is restricted gets a role of its own, and is there only when all that restricts it is. */
export async function createJoinToken(
  client: KubeClient,
  drivers: RegistrationDrivers,
  { token, restriction, groups }: NewToken,
): Promise<StoredBootstrapToken> {
  const { id, expiresAt } = token;
  if (await client.resource(secrets).find(secretKey(id))) {
    const hint = 'Choose another token, or leave it out: a new one is made.';
    throw new CliError('precondition', `there is a token with the id ${id} already`, hint);
  }
  const restricted = isRestricted(restriction);
  const own = restricted || groups === undefined ? joinTokenGroups(restriction) : [];
  const stored = { ...token, groups: [...new Set([...own, ...(groups ?? [])])] };
  if (!restricted) {
    await ensureAccess(client, drivers);
    await client.resource(secrets).create(withOwner(cliOwner, bootstrapTokenSecret(stored)));
    return stored;
  }
  const joinToken = { ...restriction, id, ...(expiresAt !== undefined && { expiresAt }) };
  const role = await client
    .resource(clusterRoles)
    .create(withOwner(cliOwner, joinTokenClusterRole(drivers, joinToken)));
  try {
    const [binding, record, secret] = joinTokenObjects(role, joinToken, stored);
    await client.resource(clusterRoleBindings).create(withOwner(cliOwner, binding));
    await client.resource(configMaps).create(withOwner(cliOwner, record));
    await client.resource(secrets).create(withOwner(cliOwner, secret));
  } catch (error) {
    // It owns what was made so far.
    await client.resource(clusterRoles).delete(joinTokenRole(id));
    throw error;
  }
  return stored;
}

/** Gives holders of tokens the rights to join where nobody did: what is there stays as it is. */
async function ensureAccess(client: KubeClient, drivers: RegistrationDrivers): Promise<void> {
  const [role, binding] = bootstrapTokenAccess(drivers);
  if (!(await client.resource(clusterRoles).find(keyOf(role)))) {
    await client.resource(clusterRoles).create(withOwner(cliOwner, role));
  }
  if (await client.resource(clusterRoleBindings).find(keyOf(binding))) return;
  await client.resource(clusterRoleBindings).create(withOwner(cliOwner, binding));
}

/** All bootstrap tokens of the hub, the first to end first. */
export async function listJoinTokens(client: KubeClient): Promise<ListedToken[]> {
  const tokens = await storedTokens(client);
  const { items } = await client.resource(configMaps).list({ namespace: NamespaceName.Hub });
  const records = new Map(items.flatMap((item) => readJoinToken(item) ?? []).map((record) => [record.id, record]));
  return tokens
    .map((token) => {
      const record = records.get(token.id);
      return { token, ...(record && { record }) };
    })
    .sort((a, b) => endOf(a) - endOf(b) || (a.token.id < b.token.id ? -1 : 1));
}

const endOf = ({ token }: ListedToken): number => token.expiresAt ?? Number.MAX_SAFE_INTEGER;

/** What the Secrets say; with the secrets in them. */
async function storedTokens(client: KubeClient): Promise<StoredBootstrapToken[]> {
  const { items } = await client
    .resource(secrets)
    .list({ namespace: bootstrapTokenNamespace, fieldSelector: `type=${bootstrapTokenType}` });
  return items.flatMap((secret) => readBootstrapToken(secret) ?? []);
}

/** Deletes a token with all that belongs to it; false if there is none. */
export async function deleteJoinToken(client: KubeClient, clock: Clock, id: string): Promise<boolean> {
  const found = await client.resource(secrets).find(secretKey(id));
  const role = await client.resource(clusterRoles).find(joinTokenRole(id));
  await client.resource(secrets).delete(secretKey(id));
  await client.resource(clusterRoleBindings).delete(joinTokenRole(id));
  await client.resource(configMaps).delete(joinTokenKey(id));
  await client.resource(clusterRoles).delete(joinTokenRole(id));
  await signAgain(client, clock);
  return found !== undefined || role !== undefined;
}

/** Signs `cluster-info` with the tokens that there are. Another program may do so at the same moment, and comes to the same. */
export async function signAgain(client: KubeClient, clock: Clock): Promise<void> {
  await retryOnConflict(async () => signClusterInfo(client, await storedTokens(client), clock.now()));
}

/** What `token create` made, by name: the tokens, and the roles of those that are restricted. */
export async function ownedTokens(client: KubeClient): Promise<KubeObject[]> {
  const ids = (await storedTokens(client)).map(({ id }) => id);
  return ids.flatMap((id) => [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: bootstrapTokenNamespace, name: bootstrapTokenSecretName(id) },
    },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name: joinTokenRole(id) } },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: joinTokenRole(id) } },
  ]);
}
