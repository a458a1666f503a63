import { once } from 'node:events';
import type { ServerHttp2Session } from 'node:http2';
import { ClusterProxyApi, tunnelPath } from '@flotilla/api-types';
import { type Clock, KubeError, type Logger } from '@flotilla/kube';
import type { Transport, UpgradeResponse } from '@flotilla/kube/transport';
import type { Member } from '../member/member.ts';
import { serveTunnel } from '../tunnel/tunnel-server.ts';

/** What the tunnel of a cluster is kept open with. */
export interface RunTunnelInput {
  /** The hub, as the cluster may see it. */
  readonly hub: Pick<Transport, 'upgrade' | 'accessChanged'>;
  readonly clusterName: string;
  /** What users of the hub reach through the tunnel. */
  readonly member: Member;
  readonly clock: Clock;
  readonly log: Logger;
  /** In [0, 1). */
  readonly random?: () => number;
}

const firstDelayMs = 500;
const lastDelayMs = 30_000;
/** A hub that does not serve the API is asked seldom: an administrator has to change it. */
const absentDelayMs = 60_000;
const openDeadlineMs = 20_000;

/** Keeps one tunnel open to the hub until the signal aborts, and answers what comes through it. */
export async function runTunnel(input: RunTunnelInput, signal: AbortSignal): Promise<void> {
  const { hub, clock, log, random = Math.random } = input;
  const sessions = new Set<ServerHttp2Session>();
  let delayMs = firstDelayMs;
  let lastProblem = '';
  try {
    while (!signal.aborted) {
      try {
        const session = await openSession(input, signal, sessions);
        log.info('users of the hub can reach this cluster');
        lastProblem = '';
        delayMs = firstDelayMs;
        await ended(session, hub, signal);
        // With renewed credentials the next one is opened while this one still answers what it has begun.
        if (!session.destroyed) continue;
      } catch (error) {
        if (signal.aborted) return;
        const problem = KubeError.from(error);
        if (problem.message !== lastProblem)
          log.warn('users of the hub cannot reach this cluster', { error: problem.message });
        lastProblem = problem.message;
        if (isAbsent(problem)) delayMs = absentDelayMs;
      }
      await clock.sleep(delayMs * (0.75 + random() / 2), signal).catch(() => undefined);
      delayMs = Math.min(delayMs * 2, lastDelayMs);
    }
  } finally {
    for (const session of sessions) session.destroy();
  }
}

async function openSession(
  { hub, clusterName, member, clock, log }: RunTunnelInput,
  signal: AbortSignal,
  sessions: Set<ServerHttp2Session>,
): Promise<ServerHttp2Session> {
  if (!hub.upgrade) throw new KubeError('MethodNotAllowed', 'the connection to the hub carries no tunnels');
  const path = tunnelPath(clusterName);
  const { protocol } = ClusterProxyApi;
  const answer = await hub.upgrade({ method: 'GET', path, protocol, signal, deadlineMs: openDeadlineMs });
  if (!answer.switched) throw await refusal(path, answer);
  const session = serveTunnel(answer.socket, { member, clock, log });
  sessions.add(session);
  session.once('close', () => sessions.delete(session));
  return session;
}

/** Resolves when the session is over, or when there are new credentials to open the next one with. */
async function ended(session: ServerHttp2Session, hub: RunTunnelInput['hub'], signal: AbortSignal): Promise<void> {
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  const subscription = hub.accessChanged.subscribe(() => resolve());
  await Promise.race([once(session, 'close', { signal }), changed]).catch(() => undefined);
  subscription.unsubscribe();
}

async function refusal(path: string, answer: Extract<UpgradeResponse, { switched: false }>): Promise<KubeError> {
  const parts: Buffer[] = [];
  for await (const part of answer.body as AsyncIterable<Buffer>) parts.push(part);
  const body = Buffer.concat(parts).toString('utf8');
  return KubeError.fromResponse({ method: 'GET', path }, answer.status, body, Object.fromEntries(answer.headers));
}

const isAbsent = ({ code }: KubeError): boolean => code === 'NotFound' || code === 'MethodNotAllowed';
