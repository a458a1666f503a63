import type { Secret } from '../kinds/built-in-types.ts';
import { formatTime, parseTime } from '../meta/time.ts';
import type { BootstrapToken } from './token.ts';

/** What the Secret of a bootstrap token says. */
export interface StoredBootstrapToken extends BootstrapToken {
  /** Milliseconds since the epoch; undefined if it never ends. An end that cannot be read has passed. */
  readonly expiresAt?: number;
  readonly usages: readonly BootstrapTokenUsage[];
  readonly groups: readonly string[];
  readonly description?: string;
}

/** What bootstrap tokens can be used for. */
export const bootstrapTokenUsages = ['signing', 'authentication'] as const;
/** What a bootstrap token can be used for: to sign the cluster-info, or to authenticate. */
export type BootstrapTokenUsage = (typeof bootstrapTokenUsages)[number];

/** The type of Secrets that are bootstrap tokens. */
export const bootstrapTokenType = 'bootstrap.kubernetes.io/token';
/** Where the API server looks for these Secrets. */
export const bootstrapTokenNamespace = 'kube-system';
/** Groups that a bootstrap token may be in; the API server refuses tokens with others. */
export const bootstrapGroupForm = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

const usageKey = (usage: BootstrapTokenUsage): string => `usage-bootstrap-${usage}`;

/** The name of the Secret of a token. */
export const bootstrapTokenSecretName = (id: string): string => `bootstrap-token-${id}`;

/** The Secret of a token, in base64. */
export function bootstrapTokenSecret(token: StoredBootstrapToken): Secret & { data: Record<string, string> } {
  const { id, secret, expiresAt, usages, groups, description } = token;
  const texts = {
    'token-id': id,
    'token-secret': secret,
    ...(expiresAt !== undefined && { expiration: formatTime(expiresAt) }),
    ...Object.fromEntries(usages.map((usage) => [usageKey(usage), 'true'])),
    ...(groups.length > 0 && { 'auth-extra-groups': groups.join(',') }),
    ...(description && { description }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: bootstrapTokenSecretName(id), namespace: bootstrapTokenNamespace },
    type: bootstrapTokenType,
    data: Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
  };
}

/** What a Secret says; undefined if it is not the Secret of a token. */
export function readBootstrapToken({ type, metadata, data }: Secret): StoredBootstrapToken | undefined {
  const text = (key: string): string => Buffer.from(data?.[key] ?? '', 'base64').toString('utf8');
  const [id, secret, expiration, description] = [
    text('token-id'),
    text('token-secret'),
    text('expiration'),
    text('description'),
  ];
  if (type !== bootstrapTokenType || id === '' || metadata?.name !== bootstrapTokenSecretName(id)) return undefined;
  return {
    id,
    secret,
    usages: bootstrapTokenUsages.filter((usage) => text(usageKey(usage)) === 'true'),
    groups: text('auth-extra-groups').split(',').filter(Boolean),
    ...(expiration !== '' && { expiresAt: parseTime(expiration) ?? 0 }),
    ...(description !== '' && { description }),
  };
}

/** Whether a token may sign now. */
export const maySign = ({ usages, secret, expiresAt }: StoredBootstrapToken, now: number): boolean =>
  usages.includes('signing') && secret !== '' && (expiresAt === undefined || expiresAt > now);
