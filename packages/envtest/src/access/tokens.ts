import { randomInt } from 'node:crypto';
import type { KubeObject } from '@flotilla/api-types';
import type { Clock, ClusterAccess } from '@flotilla/kube';
import { EnvtestError } from '../errors.ts';
import { type Api, create, ensure } from './api.ts';
import { createIdentity, type Identity } from './identity.ts';

/** Somebody who is known by a token. */
export interface TokenIdentity extends Identity {
  readonly token: string;
  /** When the server stops accepting it, milliseconds since the epoch; absent for a bootstrap token that stays. */
  readonly expiresAt?: number;
}

/** What tokens are made with. */
export interface TokenContext {
  api: Api;
  clock: Clock;
  directory: string;
  /** Server and CA, without credentials. */
  access: () => Pick<ClusterAccess, 'server' | 'ca'>;
}

/** How a service-account token is bound. */
export interface ServiceAccountTokenOptions {
  audiences?: readonly string[];
  /** The server accepts no less than 600. Default 3600. */
  expirationSeconds?: number;
}

type TokenRequest = KubeObject & {
  spec: { audiences: readonly string[]; expirationSeconds: number };
  status?: { token: string; expirationTimestamp: string };
};

/** A token of `namespace/name`; namespace and ServiceAccount are made if they are not there. */
export async function createServiceAccountToken(
  context: TokenContext,
  account: string,
  { audiences = [], expirationSeconds = 3600 }: ServiceAccountTokenOptions = {},
): Promise<TokenIdentity> {
  const [namespace, name, ...rest] = account.split('/');
  if (!namespace || !name || rest.length > 0) {
    throw new EnvtestError('InvalidOption', `service account '${account}' is not of the form namespace/name`);
  }
  await ensure(context.api, '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await ensure(context.api, accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
  const { status } = await create<TokenRequest>(context.api, `${accounts}/${name}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences, expirationSeconds },
  });
  if (!status) throw new EnvtestError('CommandFailed', `the token request for ${account} was answered without a token`);
  return tokenIdentity(context, `system:serviceaccount:${namespace}:${name}`, {
    token: status.token,
    expiresAt: Date.parse(status.expirationTimestamp),
  });
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
  await create(context.api, '/api/v1/namespaces/kube-system/secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `bootstrap-token-${id}` },
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
