import type { Secret, ServiceAccount } from '@flotilla/kube/kinds';
import type { ProjectedServiceAccount } from '../projected-service-account.ts';

/** What of a token is remembered beside it. */
export const tokenAnnotations = {
  issued: 'example.com/token-issued',
  expires: 'example.com/token-expires',
  /** Tokens end with the service account: one of the same name that was made again needs another. */
  accountUid: 'example.com/service-account-uid',
} as const;

/** On the service accounts that the agent made: the uid of the ProjectedServiceAccount that each is for. */
const ownerAnnotation = 'example.com/projected-service-account-uid';

/** The service account of a ProjectedServiceAccount, marked as its own. */
export const accountOf = ({ metadata }: ProjectedServiceAccount, namespace: string): ServiceAccount => ({
  metadata: { namespace, name: metadata?.name, annotations: { [ownerAnnotation]: metadata?.uid ?? '' } },
});

/** Whether the agent made the account for it. Tokens of any other are not given away, and no other is deleted. */
export const isAccountOf = (account: ServiceAccount, { metadata }: ProjectedServiceAccount): boolean =>
  metadata?.uid !== undefined && account.metadata?.annotations?.[ownerAnnotation] === metadata.uid;

/** When a token must be requested: at once (0), or that many milliseconds from now, when a fifth of its life is left. */
export function nextTokenIn(secret: Secret | undefined, accountUid: string, now: number): number {
  const { annotations = {} } = secret?.metadata ?? {};
  if (!secret?.data?.token || annotations[tokenAnnotations.accountUid] !== accountUid) return 0;
  const issued = Date.parse(annotations[tokenAnnotations.issued] ?? '');
  const expires = Date.parse(annotations[tokenAnnotations.expires] ?? '');
  if (Number.isNaN(issued) || Number.isNaN(expires)) return 0;
  return Math.max(0, issued + 0.8 * (expires - issued) - now);
}
