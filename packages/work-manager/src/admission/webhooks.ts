import { type FeatureGateValues, featureGateValues, type ManifestWork, WebhookPath } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import type { AdmissionDecision, AdmissionRequest, Webhook } from '@flotilla/kube/admission';
import { defaultManifestLimit } from '../options.ts';
import { isWork } from './decode.ts';
import { executorQuestion, leavesSpec, mayExecuteAs, refuseExecutor } from './executor.validation.ts';
import { validateManifests } from './manifests.validation.ts';
import { replicaSetWebhook } from './replica-sets.validation.ts';
import { acceptWithWarnings } from './warnings.ts';

/** What the webhooks work with. */
export interface WorkAdmissionInput {
  readonly client: Pick<KubeClient, 'resource'>;
  readonly gates?: FeatureGateValues;
  /** Bytes that all manifests of a work may have together. OCM's default: 512000. */
  readonly manifestLimit?: number;
}

const allow: AdmissionDecision = { allowed: true };
const undecodable: AdmissionDecision = {
  allowed: false,
  code: 400,
  message: 'Request manifestwork obj format is not right',
};

/** The admission webhooks of works: the validation of ManifestWorks and ManifestWorkReplicaSets. */
export function workWebhooks(input: WorkAdmissionInput): readonly Webhook[] {
  const { client, manifestLimit = defaultManifestLimit } = input;
  const { NilExecutorValidating: checksMissingExecutor = false } = featureGateValues('hub-work', input.gates);

  const validate = async (
    { userInfo }: AdmissionRequest,
    work: ManifestWork,
    old: ManifestWork | undefined,
  ): Promise<AdmissionDecision> => {
    // A work that came in under other rules must stay changeable, or its finalizers could never be removed.
    if (old && leavesSpec(work, old)) return allow;
    const refusal = validateManifests(work.spec?.workload?.manifests ?? [], manifestLimit);
    if (refusal) return refusal;
    const question = executorQuestion(work, old, checksMissingExecutor);
    if (question && 'refusal' in question) return question.refusal;
    const namespace = work.metadata?.namespace ?? '';
    if (question && !(await mayExecuteAs(client, userInfo, question.executor, namespace))) {
      return refuseExecutor(userInfo.username ?? '', question.executor, namespace);
    }
    return acceptWithWarnings(work);
  };

  const decide = async (request: AdmissionRequest): Promise<AdmissionDecision> => {
    const { operation, object, oldObject } = request;
    if (operation !== 'CREATE' && operation !== 'UPDATE') return allow;
    if (!isWork(object)) return undecodable;
    if (operation === 'CREATE') return validate(request, object, undefined);
    return isWork(oldObject) ? validate(request, object, oldObject) : undecodable;
  };

  return [
    { path: WebhookPath.ValidateManifestWork, decide },
    replicaSetWebhook({ client, manifestLimit, checksMissingExecutor }),
  ];
}
