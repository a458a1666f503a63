import { int32, intOrString, listOf, object, oneOf, optional, text } from '@flotilla/schema/define';
import type { Static } from 'typebox';

const COUNT_OR_PERCENT = '^((100|[0-9]{1,2})%|[0-9]+)$';

/** What all strategies share: when a cluster counts as done or failed. */
const progress = () => ({
  minSuccessTime: optional(
    text('How long a cluster must stay successful before the rollout goes on, such as 5m.', { default: '0' }),
  ),
  progressDeadline: optional(
    text('How long a cluster may take before it counts as failed, such as 30m; None waits for ever.', {
      default: 'None',
      // As published. Read by the alternation's precedence, it accepts any text that starts with a duration.
      pattern: '^(([0-9])+[h|m|s])|None$',
    }),
  ),
  maxFailures: optional(
    intOrString('How many clusters may fail, as a count or a percentage, before the rollout stops.', {
      default: 0,
      pattern: COUNT_OR_PERCENT,
    }),
  ),
});

const mandatoryDecisionGroups = () =>
  listOf(
    'Decision groups that must succeed first, in this order; a failure in them stops the rollout.',
    object('A decision group, by name or by index.', {
      groupName: optional(text('Name of the decision group.')),
      groupIndex: optional(int32('Index of the decision group.')),
    }),
  );

/** In which order and how fast the selected clusters get a change. */
export const rolloutStrategy = (whenUnset: object) =>
  object(
    'In which order and how fast the selected clusters get a change.',
    {
      type: optional(
        oneOf(
          'All at once, Progressive cluster by cluster, or ProgressivePerGroup decision group by decision group.',
          ['All', 'Progressive', 'ProgressivePerGroup'],
          { default: 'All' },
        ),
      ),
      all: optional(object('Settings of type All.', progress())),
      progressive: optional(
        object('Settings of type Progressive.', {
          ...progress(),
          mandatoryDecisionGroups: optional(mandatoryDecisionGroups()),
          maxConcurrency: optional(
            intOrString('How many clusters change at the same time, as a count or a percentage.', {
              pattern: COUNT_OR_PERCENT,
            }),
          ),
        }),
      ),
      progressivePerGroup: optional(
        object('Settings of type ProgressivePerGroup.', {
          ...progress(),
          mandatoryDecisionGroups: optional(mandatoryDecisionGroups()),
        }),
      ),
    },
    { default: whenUnset },
  );

/** In which order and how fast the selected clusters get a change. */
export type RolloutStrategy = Static<ReturnType<typeof rolloutStrategy>>;
