import { type AdmissionReviewOptions, answerAdmissionReview, type Webhook } from '@flotilla/kube/admission';
import { bodyOf, tooLarge } from '../serving/request-body.ts';
import type { Route } from '../serving/route.ts';

/** Objects in etcd are at most 1.5 MiB; a review has two. */
const defaultMaxBytes = 8 * 1024 * 1024;

/** What a webhook is served with. */
export interface WebhookRouteOptions extends Omit<AdmissionReviewOptions, 'signal'> {
  /** Larger reviews are not read. Default 8 MiB. */
  readonly maxBytes?: number;
}

/** Serves a webhook. A failure to decide is a refusal that says why: a webhook fails closed. */
export function webhookRoute(webhook: Webhook, options: WebhookRouteOptions = {}): Route {
  const { maxBytes = defaultMaxBytes, ...others } = options;
  return {
    path: webhook.path,
    method: 'POST',
    async handle({ message, signal }) {
      const body = await bodyOf(message, maxBytes);
      return body === undefined ? tooLarge(maxBytes) : answerAdmissionReview(webhook, body, { ...others, signal });
    },
  };
}
