import type { ConditionInput } from '@flotilla/kube';

/** The hub has a token. */
export const tokenReported = (secret: string, expires: string): ConditionInput => ({
  type: 'TokenReported',
  status: 'True',
  reason: 'TokenReported',
  message: `Secret ${secret} has a token that ends at ${expires}`,
});

/** A Secret of another owner has the name. */
export const nameTaken = (secret: string): ConditionInput => ({
  type: 'TokenReported',
  status: 'False',
  reason: 'SecretExists',
  message: `Secret ${secret} exists and is not owned by the ProjectedServiceAccount: rename one of them`,
});
