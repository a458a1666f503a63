import type { Secret } from '@flotilla/kube/kinds';

/** What of a token is remembered beside it. */
export const tokenAnnotations = {
  issued: 'example.com/token-issued',
  expires: 'example.com/token-expires',
  /** Tokens end with the service account: one of the same name that was made again needs another. */
  accountUid: 'example.com/service-account-uid',
} as const;

/** When a token must be requested: at once (0), or that many milliseconds from now, when a fifth of its life is left. */
export function nextTokenIn(secret: Secret | undefined, accountUid: string, now: number): number {
  const { annotations = {} } = secret?.metadata ?? {};
  if (!secret?.data?.token || annotations[tokenAnnotations.accountUid] !== accountUid) return 0;
  const issued = Date.parse(annotations[tokenAnnotations.issued] ?? '');
  const expires = Date.parse(annotations[tokenAnnotations.expires] ?? '');
  if (Number.isNaN(issued) || Number.isNaN(expires)) return 0;
  return Math.max(0, issued + 0.8 * (expires - issued) - now);
}
