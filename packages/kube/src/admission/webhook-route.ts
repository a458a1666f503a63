import { KubeError } from '../errors/kube-error.ts';
import { type Logger, silentLogger } from '../log/logger.ts';
import type { Reply, Route } from '../process/serving/route.ts';
import { readReview, reviewText } from './admission-review.ts';
import { bodyOf } from './review-body.ts';
import type { AdmissionDecision, Webhook } from './webhook.ts';

/** Objects in etcd are at most 1.5 MiB; a review has two. */
const defaultMostBytes = 8 * 1024 * 1024;

/** What a webhook is served with. */
export interface WebhookRouteOptions {
  log?: Logger;
  /** Called once per question, for metrics. */
  answered?: (path: string, decision: AdmissionDecision) => void;
  /** Larger questions are not read. Default 8 MiB. */
  mostBytes?: number;
}

/** Serves a webhook. A failure to decide is a refusal that says why, because the configuration of OCM fails closed. */
export function webhookRoute(webhook: Webhook, options: WebhookRouteOptions = {}): Route {
  const { log = silentLogger, answered, mostBytes = defaultMostBytes } = options;
  return {
    path: webhook.path,
    method: 'POST',
    async handle({ message, signal }): Promise<Reply> {
      const text = await bodyOf(message, mostBytes);
      if (text === undefined) return { status: 413, body: `the body has more than ${mostBytes} bytes\n` };
      const review = readReview(text);
      if (typeof review === 'string') return { status: 400, body: `${review}\n` };
      const decision = await decided(webhook, review.request, signal, log);
      answered?.(webhook.path, decision);
      return { status: 200, contentType: 'application/json', body: reviewText(review, decision) };
    },
  };
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
