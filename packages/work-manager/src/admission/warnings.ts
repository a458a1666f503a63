import type { ManifestWork } from '@flotilla/api-types';
import type { AdmissionDecision } from '@flotilla/kube/admission';
import { wildcardsInOrphaningRules } from './orphaning-rules.ts';
import { unmatchedConfigs } from './unmatched-configs.ts';

/** Accepts a work, with warnings of parts of its spec that have no effect. `field` is where that spec is in the object of the request. */
export function acceptWithWarnings(work: ManifestWork, field = 'spec'): AdmissionDecision {
  const warnings = [...unmatchedConfigs(work), ...wildcardsInOrphaningRules(work)];
  if (warnings.length === 0) return { allowed: true };
  return { allowed: true, warnings: warnings.map((warning) => warning.replace(/^spec\./, `${field}.`)) };
}
