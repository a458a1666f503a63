import { ControllerName } from '../controllers.ts';
import { type ConditionTable, conditionReasonsOf, conditionTypesOf } from './condition-table.ts';

const aggregated = { ConditionRulesAggregated: 'Summed up from the manifests that have the condition.' };

const evaluated = {
  True: { ConditionRuleEvaluated: 'A condition rule says so.' },
  False: {
    ConditionRuleEvaluated: 'A condition rule says so.',
    ConditionRuleExpressionError: 'An expression of the rule failed.',
  },
  Unknown: {
    ConditionRuleInternalError: 'The rule could not be run.',
    ConditionRuleInvalid: 'The type of the rule is not known.',
  },
};

export const manifestWorkConditionTable = {
  Applied: {
    type: 'Applied',
    on: ['ManifestWork'],
    owners: [ControllerName.ManifestWork],
    meaning: 'All manifests were applied.',
    reasons: {
      True: { AppliedManifestWorkComplete: 'All were.' },
      False: { AppliedManifestWorkFailed: 'Some were not; their own conditions say why.' },
    },
  },
  Available: {
    type: 'Available',
    on: ['ManifestWork'],
    owners: [ControllerName.AvailableStatus],
    meaning: 'All objects exist on the cluster.',
    reasons: {
      True: { ResourcesAvailable: 'All exist.' },
      False: { ResourcesNotAvailable: 'Some do not exist.' },
      Unknown: { ResourcesStatusUnknown: 'Some could not be read, or there is none.' },
    },
  },
  StatusTruncated: {
    type: 'StatusTruncated',
    on: ['ManifestWork'],
    owners: [ControllerName.ManifestWork],
    meaning: 'Some manifests are not listed in the status. Not in OCM.',
    reasons: {
      True: {
        StatusTooLarge: 'The API server would not take the whole status; the message says how many are missing.',
      },
    },
  },
  Progressing: {
    type: 'Progressing',
    on: ['ManifestWork'],
    owners: [ControllerName.AvailableStatus],
    meaning: 'By condition rules: some manifest progresses. Rollouts of replica sets wait for it to become False.',
    reasons: { True: aggregated, False: aggregated, Unknown: aggregated },
  },
  Degraded: {
    type: 'Degraded',
    on: ['ManifestWork'],
    owners: [ControllerName.AvailableStatus],
    meaning: 'By condition rules: all manifests are degraded. With Progressing it makes a rollout fail.',
    reasons: { True: aggregated, False: aggregated, Unknown: aggregated },
  },
  Complete: {
    type: 'Complete',
    on: ['ManifestWork'],
    owners: [ControllerName.AvailableStatus],
    meaning: 'By condition rules: all manifests are complete. The work is applied no more, and its time to live runs.',
    reasons: { True: aggregated, False: aggregated, Unknown: aggregated },
  },
  Deleting: {
    type: 'Deleting',
    on: ['ManifestWork'],
    owners: [ControllerName.ManifestWorkFinalize],
    meaning: 'The agent is removing what the work applied.',
    reasons: { True: { WorkDeleting: 'The work was deleted.' } },
  },
  Deleted: {
    type: 'Deleted',
    on: ['ManifestWork'],
    owners: ['CloudEvents client of the work agent'],
    meaning: 'Over CloudEvents only: all that the work applied is gone, so the hub may drop its finalizer.',
    reasons: { True: { ManifestsDeleted: 'All is gone.' } },
  },
} as const satisfies ConditionTable;

export const manifestConditionTable = {
  Applied: {
    type: 'Applied',
    on: ['ManifestWork'],
    owners: [ControllerName.ManifestWork],
    meaning: 'The manifest was applied.',
    reasons: {
      True: { AppliedManifestComplete: 'It was.' },
      False: {
        AppliedManifestFailed: 'It was not; the message says why.',
        AppliedManifestSSAIgnoreFieldError: 'A selector of ignoreFields failed.',
      },
    },
  },
  Available: {
    type: 'Available',
    on: ['ManifestWork'],
    owners: [ControllerName.AvailableStatus],
    meaning: 'The object exists on the cluster.',
    reasons: {
      True: {
        ResourceAvailable: 'It exists.',
        ResourceFinished:
          'It is a Job that finished and was deleted after its time to live; the message has a digest of its manifest. Not in OCM.',
      },
      False: { ResourceNotAvailable: 'It does not exist, or the work has not applied it.' },
      Unknown: {
        IncompleteResourceMeta: 'Its resource is not known.',
        FetchingResourceFailed: 'It could not be read.',
      },
    },
  },
  StatusFeedbackSynced: {
    type: 'StatusFeedbackSynced',
    on: ['ManifestWork'],
    owners: [ControllerName.AvailableStatus],
    meaning: 'The feedback values are current.',
    reasons: {
      True: { StatusFeedbackSynced: 'All values were read.', NoStatusFeedbackSynced: 'No values are asked for.' },
      False: { StatusFeedbackSyncFailed: 'Some values could not be read.' },
    },
  },
  ResourceReady: {
    type: 'ResourceReady',
    on: ['ManifestWork'],
    owners: [ControllerName.ManifestWork],
    meaning:
      'The object has come to what the manifest asks for, by the rules of kstatus, for the generation of the work that the condition names. Reported for works of replica sets. Not in OCM.',
    reasons: {
      True: { Current: 'It has.' },
      False: {
        InProgress: 'It has not yet.',
        Failed: 'It cannot without a change.',
        Terminating: 'It is being deleted.',
        NotFound: 'It does not exist.',
        NotApplied: 'The manifest was not applied, so the object is not the one that the work asks for.',
      },
      Unknown: { Unknown: 'It could not be read.' },
    },
  },
  Progressing: {
    type: 'Progressing',
    on: ['ManifestWork'],
    owners: [ControllerName.AvailableStatus],
    meaning: 'By a condition rule: the object progresses.',
    reasons: evaluated,
  },
  Degraded: {
    type: 'Degraded',
    on: ['ManifestWork'],
    owners: [ControllerName.AvailableStatus],
    meaning: 'By a condition rule: the object is degraded.',
    reasons: evaluated,
  },
  Complete: {
    type: 'Complete',
    on: ['ManifestWork'],
    owners: [ControllerName.AvailableStatus],
    meaning: 'By a condition rule: the object is complete and applied no more. Known by itself for Jobs and Pods.',
    reasons: evaluated,
  },
} as const satisfies ConditionTable;

/** Reasons that start so come from condition rules, and go when the rule goes. */
export const conditionRuleReasonPrefix = 'ConditionRule';

/** Condition types of ManifestWork; condition rules may add any others. */
export const ManifestWorkCondition = /* @__PURE__ */ conditionTypesOf(manifestWorkConditionTable);

/** Reasons of ManifestWork by condition. */
export const ManifestWorkReason = /* @__PURE__ */ conditionReasonsOf(manifestWorkConditionTable);

/** Condition types of one manifest in status.resourceStatus of ManifestWork. */
export const WorkManifestCondition = /* @__PURE__ */ conditionTypesOf(manifestConditionTable);

/** Reasons of one manifest by condition. */
export const WorkManifestReason = /* @__PURE__ */ conditionReasonsOf(manifestConditionTable);
