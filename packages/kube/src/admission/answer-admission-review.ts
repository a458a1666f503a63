import { KubeError } from '../errors/kube-error.ts';
import { type Logger, silentLogger } from '../log/logger.ts';
import { readReview, reviewText } from './admission-review.ts';
import { badReview, type ReviewReply } from './review-reply.ts';
import type { AdmissionDecision, Webhook } from './webhook.ts';

/** How a review is answered. */
export interface AdmissionReviewOptions {
  /** Aborts when the caller hangs up. */
  readonly signal: AbortSignal;
  readonly log?: Logger;
  /** Called once per decision, for metrics. */
  readonly answered?: (path: string, decision: AdmissionDecision) => void;
}

/** The reply to an AdmissionReview. A failure to decide is a refusal that says why: a webhook fails closed. */
export async function answerAdmissionReview(
  webhook: Webhook,
  body: string,
  { signal, log = silentLogger, answered }: AdmissionReviewOptions,
): Promise<ReviewReply> {
  const review = readReview(body);
  if (typeof review === 'string') return badReview(review);
  const decision = await decided(webhook, review.request, signal, log);
  answered?.(webhook.path, decision);
  return { status: 200, contentType: 'application/json', body: reviewText(review, decision) };
}

async function decided(
  webhook: Webhook,
  request: Parameters<Webhook['decide']>[0],
  signal: AbortSignal,
  log: Logger,
): Promise<AdmissionDecision> {
  try {
    return await webhook.decide(request, signal);
  } catch (error) {
    log.warn('a webhook could not decide and refuses', { path: webhook.path, name: request.name, err: error });
    return { allowed: false, code: 400, message: KubeError.from(error).message };
  }
}
