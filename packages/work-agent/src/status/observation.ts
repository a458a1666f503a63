import type { ManifestFeedbackValue } from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';
import type { Readiness } from '../readiness/readiness.ts';

/** What the rules of a work report about one version of an object. */
export interface Observation {
  readonly values: readonly ManifestFeedbackValue[];
  readonly errors: readonly string[];
  /** Whether there are rules for values. */
  readonly hasFeedbackRules: boolean;
  /** One for each condition rule, without the generation of the work. */
  readonly conditions: readonly ConditionInput[];
  /** The letters that its messages may have; only if they have more. */
  readonly cutAt?: number;
  /** Whether the object is a Job that has finished; only of one that is deleted then. */
  readonly isFinishedJob?: boolean;
  /** Whether the object has come to what the manifest asks for; only where that is reported. */
  readonly readiness?: Readiness;
}
