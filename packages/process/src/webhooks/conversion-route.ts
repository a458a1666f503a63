import { answerConversionReview, type ConversionReviewOptions } from '@flotilla/kube/admission';
import { bodyOf, tooLarge } from '../serving/request-body.ts';
import type { Route } from '../serving/route.ts';

/** A list is converted at once. */
const defaultMaxBytes = 64 * 1024 * 1024;

/** What a conversion webhook is served with. */
export interface ConversionRouteOptions extends ConversionReviewOptions {
  readonly path: string;
  /** Larger reviews are not read. Default 64 MiB. */
  readonly maxBytes?: number;
}

/** Serves the conversion of custom resources between their versions. One object that cannot be converted fails the whole review. */
export function conversionRoute(options: ConversionRouteOptions): Route {
  const { path, maxBytes = defaultMaxBytes, ...others } = options;
  return {
    path,
    method: 'POST',
    async handle({ message }) {
      const body = await bodyOf(message, maxBytes);
      return body === undefined ? tooLarge(maxBytes) : answerConversionReview(body, others);
    },
  };
}
