import { type AdmissionReviewOptions, answerAdmissionReview, type Webhook } from '@flotilla/kube/admission';
import { serverLimits } from '../serving/limits.ts';
import type { Route } from '../serving/route.ts';
import { HeldBodies } from './held-bodies.ts';

/** What a webhook is served with. */
export interface WebhookRouteOptions extends Omit<AdmissionReviewOptions, 'signal'> {
  /** Larger reviews are not read. Default 8 MiB. */
  readonly maxBytes?: number;
}

/** Serves a webhook. A failure to decide is a refusal that says why: a webhook fails closed. */
export function webhookRoute(webhook: Webhook, options: WebhookRouteOptions = {}): Route {
  const { maxBytes = serverLimits.maxReviewBytes, ...others } = options;
  const bodies = new HeldBodies(maxBytes);
  return {
    path: webhook.path,
    method: 'POST',
    handle: ({ message, signal }) =>
      bodies.answer(message, (body) => answerAdmissionReview(webhook, body, { ...others, signal })),
  };
}
