import type { Clock, Logger } from '@flotilla/kube';
import type { HubUser } from '../member/member.ts';

/** A request to be recorded. */
export interface AuditedRequest {
  readonly cluster: string;
  readonly user: HubUser;
  readonly method: string;
  readonly path: string;
  readonly protocol?: string;
}

/** Begins a line of audit; call the result when the request has ended. The query is left out: it may hold tokens and commands. */
export function audit(log: Logger, clock: Clock, request: AuditedRequest): (code: number, error?: unknown) => void {
  const started = clock.monotonic();
  const { cluster, user, method, path, protocol } = request;
  return (code, error) =>
    log.info('request of a user to a cluster', {
      cluster,
      user: user.name,
      groups: user.groups,
      method,
      path: path.split('?')[0],
      ...(protocol !== undefined && { protocol }),
      code,
      durationMs: Math.round(clock.monotonic() - started),
      ...(error !== undefined && { error: String(error) }),
    });
}
