import { pathNotFound } from '../errors/api-errors.ts';
import type { Registry } from '../schema/resource-info.ts';
import type { ApiResponse } from './exchange.ts';

/** What a path gets that nothing serves: a page, not a Status, as from the real server. */
export const pageNotFound = (): ApiResponse => ({
  status: 404,
  headers: {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-cache, private',
    'x-content-type-options': 'nosniff',
  },
  body: '404 page not found\n',
});

/** A built-in group knows that it has no such resource; of any other group nothing is known. */
export function resourceNotFound(registry: Registry, group: string): ApiResponse {
  if (registry.all().some((info) => info.source === 'built-in' && info.group === group)) throw pathNotFound();
  return pageNotFound();
}
