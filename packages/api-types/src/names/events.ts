import { constantsOf, type NameTable } from './name-table.ts';

export const eventReasonTable = {
  Available: {
    value: 'Available',
    on: ['ManagedCluster'],
    meaning: 'Normal, by the agent: the API server of the cluster answers; also the action.',
  },
  Unavailable: {
    value: 'Unavailable',
    on: ['ManagedCluster'],
    meaning: 'Warning, by the agent: the API server of the cluster does not answer; also the action.',
  },
  AvailableUnknown: {
    value: 'AvailableUnknown',
    on: ['ManagedCluster'],
    meaning: 'Warning, by the hub: no heartbeat any more; also the action.',
  },
  DecisionCreate: { value: 'DecisionCreate', on: ['Placement'], meaning: 'Normal: a page of decisions is new.' },
  DecisionUpdate: {
    value: 'DecisionUpdate',
    on: ['Placement'],
    meaning: 'Normal, or Warning when something was wrong: a page of decisions changed.',
  },
  DecisionDelete: { value: 'DecisionDelete', on: ['Placement'], meaning: 'Normal: a page of decisions is gone.' },
  ScoreUpdate: { value: 'ScoreUpdate', on: ['Placement'], meaning: 'Normal: the scores of the clusters.' },
} as const satisfies NameTable;

export const eventActionTable = {
  DecisionCreated: { value: 'DecisionCreated', on: ['Placement'], meaning: 'Action of DecisionCreate.' },
  DecisionUpdated: { value: 'DecisionUpdated', on: ['Placement'], meaning: 'Action of DecisionUpdate.' },
  DecisionDeleted: { value: 'DecisionDeleted', on: ['Placement'], meaning: 'Action of DecisionDelete.' },
  ScoreUpdated: { value: 'ScoreUpdated', on: ['Placement'], meaning: 'Action of ScoreUpdate.' },
} as const satisfies NameTable;

export const reportingControllerTable = {
  Registration: { value: 'registration-controller', on: ['Event'], meaning: 'Hub registration.' },
  Agent: { value: 'klusterlet-agent', on: ['Event'], meaning: 'Registration agent.' },
  Placement: { value: 'placement-controller', on: ['Event'], meaning: 'Placement controller.' },
} as const satisfies NameTable;

/** Reasons of Kubernetes Events; all other "events" of OCM are log lines, see `LogReason`. */
export const EventReason = /* @__PURE__ */ constantsOf(eventReasonTable);

/** Actions of Events that differ from their reason. */
export const EventAction = /* @__PURE__ */ constantsOf(eventActionTable);

/** Who reports Events. */
export const ReportingController = /* @__PURE__ */ constantsOf(reportingControllerTable);
