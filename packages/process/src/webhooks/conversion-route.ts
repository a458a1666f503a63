import { answerConversionReview, type ConversionReviewOptions } from '@flotilla/kube/admission';
import { serverLimits } from '../serving/limits.ts';
import type { Route } from '../serving/route.ts';
import { HeldBodies } from './held-bodies.ts';

/** What a conversion webhook is served with. */
export interface ConversionRouteOptions extends ConversionReviewOptions {
  readonly path: string;
  /** Larger reviews are not read. Default 64 MiB. */
  readonly maxBytes?: number;
}

/** Serves the conversion of custom resources between their versions. One object that cannot be converted fails the whole review. */
export function conversionRoute(options: ConversionRouteOptions): Route {
  const { path, maxBytes = serverLimits.maxConversionBytes, ...others } = options;
  const bodies = new HeldBodies(maxBytes);
  return {
    path,
    method: 'POST',
    handle: ({ message }) => bodies.answer(message, (body) => answerConversionReview(body, others)),
  };
}
