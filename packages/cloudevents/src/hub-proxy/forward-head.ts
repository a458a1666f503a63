/** Headers in the order in which they came; a name may come more than once. */
export type ForwardHeaders = readonly (readonly [name: string, value: string])[];

/** A request to the API of the hub, but for its body. */
export interface ForwardHead {
  /** The cluster of the caller. */
  readonly clusterName: string;
  /** The add-on of that cluster for which the request acts. */
  readonly addOnName: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: ForwardHeaders;
}

/** An answer of the API of the hub, whatever its status. */
export interface ForwardAnswer {
  readonly status: number;
  readonly headers: ForwardHeaders;
  /** As it comes: who does not read it makes the other side wait, and who leaves early ends the request. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Whether an answer goes on until one side ends it: a watch, or a log that is followed. */
export function isLongRunning(path: string): boolean {
  const query = path.includes('?') ? new URLSearchParams(path.slice(path.indexOf('?'))) : undefined;
  const isSet = (name: string) => ['true', '1'].includes(query?.get(name) ?? '');
  return isSet('watch') || isSet('follow') || /^\/apis?\/([^?]*\/)?watch\//.test(path);
}
