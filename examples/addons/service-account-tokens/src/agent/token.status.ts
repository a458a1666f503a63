import type { ConditionInput } from '@flotilla/kube';
import type { Secret } from '@flotilla/kube/kinds';
import { tokenAnnotations } from './token.policy.ts';

/** The hub has a token. */
export const tokenReported = ({ metadata }: Secret): ConditionInput => ({
  type: 'TokenReported',
  status: 'True',
  reason: 'TokenReported',
  message: `Secret ${metadata?.name} has a token that ends at ${metadata?.annotations?.[tokenAnnotations.expires]}`,
});

/** A Secret of another owner has the name. */
export const nameTaken = (secret: string): ConditionInput => ({
  type: 'TokenReported',
  status: 'False',
  reason: 'SecretExists',
  message: `Secret ${secret} exists and is not owned by the ProjectedServiceAccount: rename one of them`,
});

/** A service account that the agent did not make has the name. */
export const accountTaken = (account: string): ConditionInput => ({
  type: 'TokenReported',
  status: 'False',
  reason: 'ServiceAccountExists',
  message: `ServiceAccount ${account} of the managed cluster was not made for the ProjectedServiceAccount: rename one of them`,
});
