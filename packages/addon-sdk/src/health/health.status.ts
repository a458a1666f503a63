import { ManagedClusterAddOnCondition, ManagedClusterAddOnReason } from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';

const type = ManagedClusterAddOnCondition.Available;
const reasons = ManagedClusterAddOnReason.Available;

/** Applied, and that is all there is to know. */
export const workApplied: ConditionInput = {
  type,
  status: 'True',
  reason: reasons.WorkApplied,
  message: 'Addon manifestWork is applied',
};

/** There is nothing to look at. */
export const workNotFound: ConditionInput = {
  type,
  status: 'Unknown',
  reason: reasons.WorkNotFound,
  message: 'Addon manifestWork is not found',
};

/** The agent of the cluster has not answered yet. */
export const workNotApplied: ConditionInput = {
  type,
  status: 'Unknown',
  reason: reasons.WorkNotApplied,
  message: 'Addon manifestWork is not applied yet',
};

/** The agent of the cluster says what is missing. */
export const workNotAvailable = (message: string): ConditionInput => ({
  type,
  status: 'False',
  reason: reasons.WorkNotApplied,
  message,
});

/** The objects are there, and nothing is reported about them. */
export const noProbeResult: ConditionInput = {
  type,
  status: 'Unknown',
  reason: reasons.NoProbeResult,
  message: 'Probe results are not returned',
};

/** A check found something wrong. */
export const unavailable = (problem: string): ConditionInput => ({
  type,
  status: 'False',
  reason: reasons.ProbeUnavailable,
  message: `Probe addon unavailable with err ${problem}`,
});

/** All is well. */
export const available = (addon: string): ConditionInput => ({
  type,
  status: 'True',
  reason: reasons.ProbeAvailable,
  message: `${addon} add-on is available.`,
});
