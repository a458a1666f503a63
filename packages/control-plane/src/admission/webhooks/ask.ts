import { KubeError, type Logger } from '@flotilla/kube';
import type { AdmissionRequest, Warn } from '../../contracts/admission.ts';
import type { ResourceInfo } from '../../contracts/resource-info.ts';
import type { WebhookCaller } from '../../contracts/webhook-caller.ts';
import { badRequest, foreignStatus, internal } from '../../errors/api-errors.ts';
import { bareMessage } from '../../errors/bare-message.ts';
import type { Webhook } from './configuration.ts';
import { type AdmissionResponse, admissionResponse, admissionReview } from './review.ts';

export interface AskOptions {
  readonly caller: WebhookCaller;
  readonly newUid: () => string;
  readonly log: Logger;
}

const harmless = ['None', 'NoneOnDryRun'];

/**
 * The webhook's consent and patch. Undefined if it could not be asked and its failure policy lets that pass.
 * Throws its refusal, or that it failed.
 */
export async function ask(
  options: AskOptions,
  webhook: Webhook,
  info: ResourceInfo,
  request: AdmissionRequest,
  { warn, mutating }: { warn: Warn; mutating: boolean },
): Promise<AdmissionResponse | undefined> {
  const { name, failurePolicy = 'Fail', sideEffects = 'Unknown' } = webhook;
  if (request.dryRun && !harmless.includes(sideEffects)) {
    throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
  }
  let response: AdmissionResponse;
  try {
    response = await consult(options, webhook, info, request, mutating);
  } catch (error) {
    const failure = `failed calling webhook ${JSON.stringify(name)}: ${bareMessage(error)}`;
    if (failurePolicy === 'Fail') throw internal(failure);
    options.log.warn('a webhook failed and its failure policy ignores that', { webhook: name, error });
    return undefined;
  }
  for (const warning of response.warnings) warn(warning);
  if (!response.allowed) throw refusal(name, response);
  return response;
}

async function consult(
  { caller, newUid }: AskOptions,
  webhook: Webhook,
  info: ResourceInfo,
  request: AdmissionRequest,
  mutating: boolean,
): Promise<AdmissionResponse> {
  if (!(webhook.admissionReviewVersions ?? ['v1']).includes('v1')) {
    throw new KubeError('Config', 'webhook does not accept known AdmissionReview versions (v1)');
  }
  const uid = newUid();
  const review = admissionReview(uid, info, request);
  let answer: unknown;
  try {
    answer = await caller.call(webhook.clientConfig, review, webhook.timeoutSeconds ?? 10);
  } catch (cause) {
    throw new KubeError('Unavailable', `failed to call webhook: ${bareMessage(cause)}`, { cause });
  }
  try {
    return admissionResponse(uid, answer, mutating);
  } catch (cause) {
    throw new KubeError('Decode', `received invalid webhook response: ${bareMessage(cause)}`, { cause });
  }
}

/** The Status that the webhook returned, as a failure that names the webhook. */
function refusal(name: string, { status = {} }: AdmissionResponse): KubeError {
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  const why = status.message || status.reason;
  return foreignStatus({
    kind: 'Status',
    apiVersion: 'v1',
    ...status,
    status: 'Failure',
    message: why ? `${denied}: ${why}` : `${denied} without explanation`,
    code: (status.code ?? 0) < 400 ? 400 : (status.code ?? 400),
  });
}
