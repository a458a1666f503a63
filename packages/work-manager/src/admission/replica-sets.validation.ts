import { WebhookPath } from '@flotilla/api-types';
import type { AdmissionDecision, Webhook } from '@flotilla/kube/admission';
import { isRecord } from '@flotilla/schema';
import { isWork } from './decode.ts';
import { validateManifests } from './manifests.validation.ts';
import { refuse } from './refusal.ts';

const list = 'spec.manifestWorkTemplate.workload.manifests';

/** The validation of replica sets. No configuration that OCM ships calls it, and ours neither: works are checked one by one. */
export const replicaSetWebhook = (isEnabled: boolean, manifestLimit: number): Webhook => ({
  path: WebhookPath.ValidateManifestWorkReplicaSet,
  decide: async ({ operation, object }): Promise<AdmissionDecision> => {
    if (operation !== 'CREATE' && operation !== 'UPDATE') return { allowed: true };
    if (!isEnabled) return { allowed: false, code: 403, message: 'ManifestWorkReplicaSet feature is disabled' };
    const { metadata, spec } = isRecord(object) ? object : {};
    const template = { metadata, spec: isRecord(spec) ? spec.manifestWorkTemplate : undefined };
    if (!isWork(template)) {
      return { allowed: false, code: 400, message: 'Request manifestwork obj format is not right' };
    }
    const manifests = template.spec?.workload?.manifests ?? [];
    if (manifests.length > 0) return validateManifests(manifests, manifestLimit) ?? { allowed: true };
    return refuse('Workload manifests should not be empty', {
      field: list,
      reason: 'FieldValueRequired',
      error: 'it is empty',
      fix: 'name at least one object',
    });
  },
});
