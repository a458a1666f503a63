import { type ManifestWork, WebhookPath } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import type { AdmissionDecision, AdmissionRequest, Webhook } from '@flotilla/kube/admission';
import { isRecord } from '@flotilla/schema';
import { isWork } from './decode.ts';
import { executorQuestion, leavesSpec, mayExecuteAs, refuseExecutorOfReplicaSet } from './executor.validation.ts';
import { validateManifests } from './manifests.validation.ts';
import { refuse } from './refusal.ts';
import { acceptWithWarnings } from './warnings.ts';

const list = 'spec.manifestWorkTemplate.workload.manifests';

/** What the validation of replica sets works with. */
export interface ReplicaSetAdmission {
  readonly client: Pick<KubeClient, 'resource'>;
  readonly manifestLimit: number;
  readonly checksMissingExecutor: boolean;
}

const allow: AdmissionDecision = { allowed: true };
const undecodable: AdmissionDecision = {
  allowed: false,
  code: 400,
  message: 'Request manifestwork obj format is not right',
};

/** The template of a replica set as a work in its namespace; undefined if it is none. */
function templateOf(object: unknown): ManifestWork | undefined {
  const { metadata, spec } = isRecord(object) ? object : {};
  const template = { metadata, spec: isRecord(spec) ? spec.manifestWorkTemplate : undefined };
  return isWork(template) ? template : undefined;
}

/**
 * The validation of replica sets. The controller that makes their works may name any executor, so who writes the template is asked for
 * that right: in all namespaces, since a placement selects the clusters later.
 */
export function replicaSetWebhook({ client, manifestLimit, checksMissingExecutor }: ReplicaSetAdmission): Webhook {
  const decide = async ({ operation, object, oldObject, userInfo }: AdmissionRequest): Promise<AdmissionDecision> => {
    if (operation !== 'CREATE' && operation !== 'UPDATE') return allow;
    const template = templateOf(object);
    const old = operation === 'UPDATE' ? templateOf(oldObject) : undefined;
    if (!template) return undecodable;
    // One that was created under other rules must stay changeable, or its finalizers could never be removed.
    if (old && leavesSpec(template, old)) return allow;
    const manifests = template.spec?.workload?.manifests ?? [];
    if (manifests.length === 0) return withoutManifests;
    const refusal = validateManifests(manifests, manifestLimit);
    if (refusal) return refusal;
    const question = executorQuestion(template, old, checksMissingExecutor);
    if (question && 'refusal' in question) return question.refusal;
    if (question && !(await mayExecuteAs(client, userInfo, question.executor, undefined))) {
      return refuseExecutorOfReplicaSet(userInfo.username ?? '', question.executor);
    }
    return acceptWithWarnings(template, 'spec.manifestWorkTemplate');
  };
  return { path: WebhookPath.ValidateManifestWorkReplicaSet, decide };
}

const withoutManifests = refuse('Workload manifests should not be empty', {
  field: list,
  reason: 'FieldValueRequired',
  error: 'it is empty',
  fix: 'name at least one object',
});
