import type { EpochMs } from '@flotilla/kube/clock';
import type { PodRuntime } from '../pods/pod-runtime.ts';
import { type LogSelection, readLog } from '../processes/read-log.ts';

/** A request that is answered with text. */
export type LogAnswer =
  | { readonly status: 200; readonly chunks: AsyncIterable<string> }
  | { readonly status: 400 | 404; readonly message: string };

/** `/containerLogs/{namespace}/{pod}/{container}`: what `kubectl logs` ends at. */
export function containerLogs(
  { namespace, name, container }: { namespace: string; name: string; container: string },
  find: (key: string) => PodRuntime | undefined,
  query: URLSearchParams,
  { now, signal }: { now: EpochMs; signal: AbortSignal },
): LogAnswer {
  const runtime = find(`${namespace}/${name}`);
  if (!runtime) return { status: 404, message: `pod "${name}" not found` };
  const found = runtime.all.find((candidate) => candidate.container.name === container);
  if (!found) return { status: 404, message: `container "${container}" not found in pod "${name}"` };
  const selection = selectionOf(query, now);
  if (typeof selection === 'string') return { status: 400, message: selection };
  const isPrevious = query.get('previous') === 'true';
  const log = found.log(isPrevious);
  if (!log) {
    const which = isPrevious ? `previous terminated container "${container}"` : `container "${container}"`;
    return { status: 400, message: `${which} in pod "${name}" is waiting to start or not found` };
  }
  return { status: 200, chunks: readLog(log, selection, signal) };
}

/** The query of a log request; or why it is none. */
function selectionOf(query: URLSearchParams, now: EpochMs): LogSelection | string {
  const numbers: { tailLines?: number; sinceSeconds?: number; limitBytes?: number } = {};
  for (const name of ['tailLines', 'sinceSeconds', 'limitBytes'] as const) {
    const text = query.get(name);
    if (text === null) continue;
    if (!/^\d+$/.test(text)) return `${name}: "${text}" is not a whole number from 0`;
    numbers[name] = Number(text);
  }
  const sinceTime = query.get('sinceTime');
  if (sinceTime !== null && Number.isNaN(Date.parse(sinceTime)))
    return `sinceTime: "${sinceTime}" is not an RFC 3339 time`;
  const since =
    numbers.sinceSeconds === undefined ? sinceTime && Date.parse(sinceTime) : now - numbers.sinceSeconds * 1000;
  const stream = query.get('stream')?.toLowerCase();
  return {
    ...(numbers.tailLines !== undefined && { tailLines: numbers.tailLines }),
    ...(numbers.limitBytes !== undefined && { limitBytes: numbers.limitBytes }),
    ...(typeof since === 'number' && { since }),
    ...((stream === 'stdout' || stream === 'stderr') && { stream }),
    timestamps: query.get('timestamps') === 'true',
    follow: query.get('follow') === 'true',
  };
}
