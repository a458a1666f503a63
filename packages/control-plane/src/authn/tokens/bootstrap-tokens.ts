import { timingSafeEqual } from 'node:crypto';
import { type Clock, joinKey } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import type { Storage } from '../../contracts/storage.ts';
import { implicitAudiences, type TokenVerifier } from './token-verification.ts';

interface Secret extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>> | null;
}

const form = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const groupForm = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
const defaultGroup = 'system:bootstrappers';

/** `id.secret`, whose other half is the Secret `bootstrap-token-<id>` in kube-system. */
export function bootstrapTokens(storage: Storage, clock: Clock, ownAudiences: readonly string[]): TokenVerifier {
  return (token, asked) => {
    const [, id = '', secret = ''] = form.exec(token) ?? [];
    if (id === '') return undefined;
    const stored = storage.get('/secrets', joinKey('kube-system', `bootstrap-token-${id}`)) as Secret | undefined;
    if (!stored || !isUsable(stored, id, secret, clock)) return undefined;
    const groups = groupsOf(stored);
    const audiences = implicitAudiences(ownAudiences, asked);
    return groups && audiences.length > 0 ? { user: { name: `system:bootstrap:${id}`, groups }, audiences } : undefined;
  };
}

function isUsable(stored: Secret, id: string, secret: string, clock: Clock): boolean {
  return (
    stored.metadata?.deletionTimestamp === undefined &&
    stored.type === 'bootstrap.kubernetes.io/token' &&
    isSame(dataOf(stored, 'token-secret'), secret) &&
    dataOf(stored, 'token-id') === id &&
    !hasEnded(dataOf(stored, 'expiration'), clock) &&
    dataOf(stored, 'usage-bootstrap-authentication') === 'true'
  );
}

const dataOf = ({ data }: Secret, key: string): string => Buffer.from(data?.[key] ?? '', 'base64').toString('utf8');

/** Compares in constant time, so that the duration does not reveal how much of a guess was right. */
function isSame(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** An expiration that cannot be parsed counts as passed; otherwise the token would never expire. */
const hasEnded = (expiration: string, clock: Clock): boolean =>
  expiration !== '' && (!rfc3339.test(expiration) || !(Date.parse(expiration) > clock.now()));

/** The default group and the extra ones in order; undefined if one of them is none that a bootstrap token may have. */
function groupsOf(stored: Secret): string[] | undefined {
  const extra = dataOf(stored, 'auth-extra-groups');
  const groups = extra === '' ? [] : extra.split(',');
  return groups.every((group) => groupForm.test(group)) ? [...new Set([defaultGroup, ...groups])].sort() : undefined;
}
