import { randomInt } from 'node:crypto';
import { type Clock, type ClusterAccess, type KubeClient, KubeError } from '@flotilla/kube';
import { createToken, namespaces, secrets, serviceAccounts } from '@flotilla/kube/kinds';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { EnvtestError } from '../errors.ts';
import { createIdentity, type Identity } from './identity.ts';

/** A user with a token. */
export interface TokenIdentity extends Identity {
  readonly token: string;
  /** When the server stops accepting it, milliseconds since the epoch; absent for a bootstrap token that stays. */
  readonly expiresAt?: number;
}

/** What tokens are made with. */
export interface TokenContext {
  client: KubeClient;
  clock: Clock;
  directory: string;
  /** Server and CA, without credentials. */
  access: () => Pick<ClusterAccess, 'server' | 'ca'>;
}

/** How a service-account token is bound. */
export interface ServiceAccountTokenOptions {
  audiences?: string[];
  /** The server accepts no less than 600. Default 3600. */
  expirationSeconds?: number;
}

/** A token of `namespace/name`; namespace and ServiceAccount are made if they are not there. */
export async function createServiceAccountToken(
  context: TokenContext,
  account: string,
  options: ServiceAccountTokenOptions = {},
): Promise<TokenIdentity> {
  const [namespace, name, ...rest] = account.split('/');
  if (!namespace || !name || rest.length > 0) {
    throw new EnvtestError('InvalidOption', `service account '${account}' is not of the form namespace/name`);
  }
  const { client } = context;
  await ensure(client, namespaces, { metadata: { name: namespace } });
  await ensure(client, serviceAccounts, { metadata: { name, namespace } });
  const { token, expirationTimestamp } = await createToken(client, account, options);
  return tokenIdentity(context, `system:serviceaccount:${namespace}:${name}`, {
    token,
    expiresAt: Date.parse(expirationTimestamp),
  });
}

async function ensure<T extends KubeObject>(client: KubeClient, type: ResourceType<T>, object: T): Promise<void> {
  try {
    await client.resource(type).create(object);
  } catch (error) {
    if (!KubeError.is(error, 'AlreadyExists')) throw error;
  }
}

/** What a bootstrap token may be used for, and how long. */
export interface BootstrapTokenOptions {
  /** Besides `system:bootstrappers`; each must start with `system:bootstrappers:`. */
  groups?: readonly string[];
  /** Default: it stays until the Secret is deleted. */
  ttlMs?: number;
  description?: string;
}

/** A bootstrap token as kubeadm makes them: a Secret in kube-system. */
export async function createBootstrapToken(
  context: TokenContext,
  { groups = [], ttlMs, description }: BootstrapTokenOptions = {},
): Promise<TokenIdentity> {
  const id = randomToken(6);
  const secret = randomToken(16);
  const expiresAt = ttlMs === undefined ? undefined : context.clock.now() + ttlMs;
  await context.client.resource(secrets).create({
    metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': id,
      'token-secret': secret,
      'usage-bootstrap-authentication': 'true',
      'usage-bootstrap-signing': 'true',
      ...(groups.length > 0 && { 'auth-extra-groups': groups.join(',') }),
      ...(expiresAt !== undefined && { expiration: new Date(expiresAt).toISOString() }),
      ...(description !== undefined && { description }),
    },
  });
  return tokenIdentity(context, `system:bootstrap:${id}`, {
    token: `${id}.${secret}`,
    ...(expiresAt !== undefined && { expiresAt }),
  });
}

async function tokenIdentity(
  { directory, access }: TokenContext,
  user: string,
  grant: { token: string; expiresAt?: number },
): Promise<TokenIdentity> {
  const identity = await createIdentity(directory, user, {
    ...access(),
    authorization: `Bearer ${grant.token}`,
    origin: `envtest ${user}`,
  });
  return { ...identity, ...grant };
}

const tokenAlphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

const randomToken = (length: number) =>
  Array.from({ length }, () => tokenAlphabet[randomInt(tokenAlphabet.length)]).join('');
