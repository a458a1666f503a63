import { FeedbackValue, type ManifestWork, ManifestWorkCondition } from '@flotilla/api-types';
import { conditionOf, feedbackText, isCurrent } from '../work/work-state.ts';
import { exampleReplicas } from './example-work.ts';

const values = ({ status }: ManifestWork) =>
  (status?.resourceStatus?.manifests ?? []).flatMap(({ statusFeedback }) => statusFeedback?.values ?? []);

const isReady = (work: ManifestWork): boolean =>
  values(work).some(
    ({ name, fieldValue }) => name === FeedbackValue.ReadyReplicas && fieldValue.integer === exampleReplicas,
  );

const isTrue = (work: ManifestWork, type: string): boolean => {
  const condition = conditionOf(work, type);
  return condition?.status === 'True' && isCurrent(work, condition);
};

/** One step of the example work, in the words of the quickstart. */
const steps: readonly ((work: ManifestWork) => string)[] = [
  ({ metadata, spec }) =>
    `${metadata?.namespace} is given work ${metadata?.name}: ${(spec?.workload?.manifests ?? []).map(({ kind }) => kind).join(', ')}`,
  ({ metadata }) => `${metadata?.namespace} has applied work ${metadata?.name}`,
  (work) =>
    `${work.metadata?.namespace} reports feedback of work ${work.metadata?.name}: ${values(work).map(feedbackText).join(' ')}`,
];

/** Applied, and the objects exist. */
export const appliedStep = 2;

/** All pods run, which only happens where something runs pods. */
export const reportedStep = 3;

/** How many steps a work has taken. Pure: one of an earlier run has taken them all at once. */
export function workStepsTaken(work: ManifestWork): number {
  const isApplied = isTrue(work, ManifestWorkCondition.Applied) && isTrue(work, ManifestWorkCondition.Available);
  if (!isApplied) return 1;
  return isReady(work) ? reportedStep : appliedStep;
}

/** The lines for the steps after `before` up to `now`. */
export const workProgressLines = (work: ManifestWork, before: number, now: number): string[] =>
  steps.slice(before, now).map((describe) => describe(work));
