import { constantsOf, type NameTable } from './name-table.ts';

export const feedbackValueTable = {
  ReadyReplicas: { value: 'ReadyReplicas', on: ['Deployment'], meaning: '.status.readyReplicas' },
  Replicas: { value: 'Replicas', on: ['Deployment'], meaning: '.status.replicas' },
  AvailableReplicas: { value: 'AvailableReplicas', on: ['Deployment'], meaning: '.status.availableReplicas' },
  NumberReady: { value: 'NumberReady', on: ['DaemonSet'], meaning: '.status.numberReady' },
  DesiredNumberScheduled: {
    value: 'DesiredNumberScheduled',
    on: ['DaemonSet'],
    meaning: '.status.desiredNumberScheduled',
  },
  NumberAvailable: { value: 'NumberAvailable', on: ['DaemonSet'], meaning: '.status.numberAvailable' },
  JobComplete: {
    value: 'JobComplete',
    on: ['Job'],
    meaning: '.status.conditions[?(@.type=="Complete")].status',
  },
  JobSucceeded: { value: 'JobSucceeded', on: ['Job'], meaning: '.status.succeeded' },
  PodReady: { value: 'PodReady', on: ['Pod'], meaning: '.status.conditions[?(@.type=="Ready")].status' },
  PodPhase: { value: 'PodPhase', on: ['Pod'], meaning: '.status.phase' },
} as const satisfies NameTable;

/** Well-known feedback values, in the order in which they are reported; the meaning of each is its JSONPath. */
export const FeedbackValue = /* @__PURE__ */ constantsOf(feedbackValueTable);
