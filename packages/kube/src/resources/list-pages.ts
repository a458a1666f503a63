import type { KubeList, KubeObject } from '@flotilla/schema';
import { isAnswerTooLarge } from '../errors/answer-too-large.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { ListOptions } from './resource-handle.ts';

/** Objects per page unless the caller says otherwise: what client-go uses. */
const defaultPageSize = 500;

/** Asks for one page; `limit` 0 means all that is left. */
export type FetchPage<T extends KubeObject> = (page: { limit: number; continue?: string }) => Promise<KubeList<T>>;

/**
 * Page after page of one consistent list. Throws `Expired` if the list outlives what the server keeps:
 * a caller that took earlier pages must drop them and begin again. Pages that are too large for the transport are made smaller.
 */
export async function* listPages<T extends KubeObject>(
  fetchPage: FetchPage<T>,
  { pageSize = defaultPageSize }: Pick<ListOptions, 'pageSize'>,
): AsyncGenerator<KubeList<T>, void, undefined> {
  let token: string | undefined;
  let limit = pageSize;
  for (;;) {
    let page: KubeList<T>;
    try {
      page = await fetchPage(token ? { limit, continue: token } : { limit });
    } catch (error) {
      if (!isAnswerTooLarge(error) || limit === 1) throw error;
      limit = limit === 0 ? defaultPageSize : Math.ceil(limit / 2);
      continue;
    }
    yield page;
    token = page.metadata.continue;
    if (!token) return;
  }
}

/** All pages as one list. When paging outlives what the server keeps, reads all objects in one answer. */
export async function listAll<T extends KubeObject>(
  fetchPage: FetchPage<T>,
  options: Pick<ListOptions, 'pageSize'>,
): Promise<KubeList<T>> {
  let whole: KubeList<T> | undefined;
  try {
    for await (const page of listPages(fetchPage, options)) {
      if (!whole) whole = page;
      else for (const item of page.items) whole.items.push(item);
    }
  } catch (error) {
    // Expired on the first page is about the caller's own resource version.
    if (!whole || !KubeError.is(error, 'Expired')) throw error;
    whole = await fetchPage({ limit: 0 });
  }
  if (!whole) throw new KubeError('Internal', 'a list ended before its first page', { retryable: false });
  const { continue: _used, remainingItemCount: _none, ...metadata } = whole.metadata;
  return { ...whole, metadata };
}
