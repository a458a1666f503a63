import { debugPath, longestBody, type PlacementDebug } from '@flotilla/placement';
import { bodyOf, type CallerReview, type Route, type ServedRequest } from '@flotilla/process';

/** What the routes are made of. */
export interface PlacementDebugRoutesInput {
  readonly debug: Pick<PlacementDebug, 'answer'>;
  /** Who the caller is, and whether they may ask. */
  readonly review: (request: ServedRequest) => Promise<CallerReview>;
}

/** The routes of OCM's debug server: GET of a stored placement, POST of one that need not be stored. */
export function placementDebugRoutes({ debug, review }: PlacementDebugRoutesInput): Route[] {
  const route = (method: 'GET' | 'POST'): Route => ({
    path: debugPath,
    subPaths: true,
    method,
    async handle(request) {
      const reviewed = await review(request);
      if ('refusal' in reviewed) return reviewed.refusal;
      const posted = method === 'POST' ? { body: await bodyOf(request.message, longestBody) } : undefined;
      const result = await debug.answer({
        user: reviewed.caller,
        path: request.url.pathname,
        ...(posted && { posted }),
      });
      return { status: 200, body: JSON.stringify(result), contentType: 'application/json' };
    },
  });
  return [route('GET'), route('POST')];
}
