import { FeedbackValue } from '@flotilla/api-types';

/** A value to read: the name it is reported under, and where it is. */
export interface NamedPath {
  readonly name: string;
  readonly path: string;
}

const named = (name: string, path: string): NamedPath => ({ name, path });

/** What `WellKnownStatus` reads, by group, version and kind as Go prints them. */
export const wellKnownPaths: Readonly<Record<string, readonly NamedPath[]>> = {
  'apps/v1, Kind=Deployment': [
    named(FeedbackValue.ReadyReplicas, '.status.readyReplicas'),
    named(FeedbackValue.Replicas, '.status.replicas'),
    named(FeedbackValue.AvailableReplicas, '.status.availableReplicas'),
  ],
  'apps/v1, Kind=DaemonSet': [
    named(FeedbackValue.NumberReady, '.status.numberReady'),
    named(FeedbackValue.DesiredNumberScheduled, '.status.desiredNumberScheduled'),
    named(FeedbackValue.NumberAvailable, '.status.numberAvailable'),
  ],
  'batch/v1, Kind=Job': [
    named(FeedbackValue.JobComplete, '.status.conditions[?(@.type=="Complete")].status'),
    named(FeedbackValue.JobSucceeded, '.status.succeeded'),
  ],
  '/v1, Kind=Pod': [
    named(FeedbackValue.PodReady, '.status.conditions[?(@.type=="Ready")].status'),
    named(FeedbackValue.PodPhase, '.status.phase'),
  ],
};
