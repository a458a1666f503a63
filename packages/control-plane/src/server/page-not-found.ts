import type { ApiResponse } from '../contracts/exchange.ts';
import type { Registry } from '../contracts/resource-info.ts';
import { pathNotFound } from '../errors/api-errors.ts';

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

/** The resources of a built-in group are fixed; those of any other group are not. */
export function resourceNotFound(registry: Registry, group: string): ApiResponse {
  if (registry.all().some((info) => info.source === 'built-in' && info.group === group)) throw pathNotFound();
  return pageNotFound();
}
