import type { ManifestFeedbackValue } from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';

/** What the rules of a work report about one version of an object. */
export interface Observation {
  readonly values: readonly ManifestFeedbackValue[];
  readonly errors: readonly string[];
  /** Whether there are rules for values. */
  readonly hasFeedbackRules: boolean;
  /** One for each condition rule, without the generation of the work. */
  readonly conditions: readonly ConditionInput[];
}
