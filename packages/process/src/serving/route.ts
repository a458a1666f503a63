import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

/** A request to the process, with its URL parsed. */
export interface ServedRequest {
  readonly message: IncomingMessage;
  readonly url: URL;
  /** Aborts when the caller hangs up or the server closes. */
  readonly signal: AbortSignal;
}

/** What to answer. Plain text unless `contentType` says otherwise. */
export interface Reply {
  status: number;
  body: string | Readable;
  contentType?: string;
  /** Offers the body as a file to save. */
  fileName?: string;
}

/** One path of the server. */
export interface Route {
  path: string;
  /** Also all paths below it. */
  subPaths?: boolean;
  /** Default: GET, with which comes HEAD. */
  method?: 'GET' | 'PUT' | 'POST';
  handle(request: ServedRequest): Promise<Reply> | Reply;
}

/** The route for a path, or the reply that there is none. */
export function findRoute(routes: readonly Route[], method: string, path: string): Route | Reply {
  const atPath = routes.filter((route) => route.path === path || (route.subPaths && path.startsWith(`${route.path}/`)));
  if (atPath.length === 0) {
    const known = routes.map((route) => route.path).join(' ');
    return { status: 404, body: `there is nothing at ${path}; known: ${known}\n` };
  }
  const wanted = method === 'HEAD' ? 'GET' : method;
  const route = atPath.find((candidate) => (candidate.method ?? 'GET') === wanted);
  return route ?? { status: 405, body: `${path} does not understand ${method}\n` };
}
