import { KlusterletCondition, KlusterletReason } from '@flotilla/api-types';
import { type ConditionInput, KubeError } from '@flotilla/kube';
import type { ComponentGates } from './config/feature-gates.ts';

/** The steps that can fail, by the reason that says so. */
export type FailedStep = Exclude<keyof typeof KlusterletReason.Applied, 'KlusterletApplied'>;

/** All objects are as the Klusterlet asks. */
export const applied: ConditionInput = {
  type: KlusterletCondition.Applied,
  status: 'True',
  reason: KlusterletReason.Applied.KlusterletApplied,
  message: 'Klusterlet Component Applied',
};

/** A step failed. */
export const applyFailed = (reason: FailedStep, error: unknown): ConditionInput => ({
  type: KlusterletCondition.Applied,
  status: 'False',
  reason,
  message: messageOf(error),
});

/** The spec cannot be carried out. */
export const invalidSpec = (problems: readonly string[]): ConditionInput => ({
  type: KlusterletCondition.Applied,
  status: 'False',
  reason: KlusterletReason.Applied.KlusterletApplyFailed,
  message: problems.join('; '),
});

/** The kubeconfig of the managed cluster is there. */
export const prepared = (created: string | undefined): ConditionInput => ({
  type: KlusterletCondition.ReadyToApply,
  status: 'True',
  reason: KlusterletReason.ReadyToApply.KlusterletPrepared,
  message: `Klusterlet is ready to apply, the external managed kubeconfig secret was created at: ${created ?? 'unknown'}`,
});

/** There is no way to the managed cluster. */
export const prepareFailed = (error: unknown): ConditionInput => ({
  type: KlusterletCondition.ReadyToApply,
  status: 'False',
  reason: KlusterletReason.ReadyToApply.KlusterletPrepareFailed,
  message: `Failed to build managed cluster clients: ${messageOf(error)}`,
});

/** Whether all gates of the spec exist. */
export function validFeatureGates(registration: ComponentGates, work: ComponentGates): ConditionInput {
  const type = KlusterletCondition.ValidFeatureGates;
  const named = [
    { component: 'Registration', invalid: registration.invalid },
    { component: 'Work', invalid: work.invalid },
  ].filter(({ invalid }) => invalid.length > 0);
  if (named.length === 0) {
    const reason = KlusterletReason.ValidFeatureGates.FeatureGatesAllValid;
    return { type, status: 'True', reason, message: 'Feature gates are all valid' };
  }
  const list = named.map(({ component, invalid }) => `${component}: [${invalid.join(' ')}]`).join(', ');
  return {
    type,
    status: 'False',
    reason: KlusterletReason.ValidFeatureGates.InvalidFeatureGatesExisting,
    message: `There are some invalid feature gates of ${list}; they are ignored`,
  };
}

/** An error for the readers of a condition. */
function messageOf(error: unknown): string {
  if (error instanceof Error && !(error instanceof KubeError)) return error.message;
  const { message, hint } = KubeError.from(error);
  return `${message}. ${hint}`;
}
