import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { type Clock, KubeError } from '@flotilla/kube';
import { parseJson, stringifyJson } from '@flotilla/schema';
import type { ServiceResolver, WebhookCaller } from '../../contracts/webhook-caller.ts';
import { type Endpoint, endpointOf } from './endpoint.ts';

const maxResponseBytes = 3 * 1024 * 1024;
/** One for each certificate authority and server name: webhooks change theirs from time to time. */
const maxAgents = 100;
const idleSocketMs = 60_000;

export function createWebhookCaller({
  clock,
  resolveService,
}: {
  clock: Clock;
  resolveService: ServiceResolver;
}): WebhookCaller {
  const agents = new Map<string, Agent>();
  const agentFor = ({ ca, serverName }: Endpoint): Agent => {
    const key = `${serverName ?? ''} ${ca ?? ''}`;
    let agent = agents.get(key);
    if (!agent) {
      const [oldest] = agents.keys();
      if (agents.size >= maxAgents && oldest !== undefined) agents.delete(oldest);
      agent = new Agent({
        keepAlive: true,
        // Also those of an agent that is dropped end, once they are idle.
        timeout: idleSocketMs,
        maxSockets: 100,
        minVersion: 'TLSv1.2',
        ...(ca !== undefined && { ca }),
        ...(serverName !== undefined && { servername: serverName }),
      });
      agents.set(key, agent);
    }
    return agent;
  };

  return {
    async call(client, review, timeoutSeconds) {
      const endpoint = endpointOf(client, resolveService);
      const shown = withTimeout(endpoint.url, timeoutSeconds);
      const deadline = new AbortController();
      const cancel = clock.schedule(timeoutSeconds * 1000, () => deadline.abort());
      try {
        const url = withTimeout(endpoint.connect, timeoutSeconds);
        return decode(await post(url, agentFor(endpoint), stringifyJson(review), deadline.signal));
      } catch (cause) {
        if (cause instanceof KubeError) throw cause;
        const why = deadline.signal.aborted ? 'context deadline exceeded' : describe(cause, endpoint.connect);
        throw new KubeError('Unavailable', `Post "${shown}": ${why}`, { cause });
      } finally {
        cancel();
      }
    },
    close() {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

/** The `timeout` parameter says how long the webhook may take. */
function withTimeout(url: URL, seconds: number): URL {
  const timed = new URL(url);
  timed.searchParams.set('timeout', `${seconds}s`);
  return timed;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

async function post(url: URL, agent: Agent, body: string, signal: AbortSignal): Promise<Answer> {
  const request = httpsRequest(url, {
    method: 'POST',
    agent,
    signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'kube-apiserver-admission',
    },
  });
  const answered = once(request, 'response');
  request.end(body);
  let response: IncomingMessage;
  try {
    [response] = await answered;
  } catch (error) {
    // The webhook closed a connection that it had kept: it has not seen the request.
    if (request.reusedSocket && isReset(error)) return post(url, agent, body, signal);
    throw error;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > maxResponseBytes) throw new KubeError('Decode', `the response is larger than ${maxResponseBytes} bytes`);
    chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') };
}

const isReset = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');

function decode({ status, body }: Answer): unknown {
  if (status < 200 || status > 299) throw new KubeError('Unavailable', statusText(status, body), { status });
  try {
    return parseJson(body);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new KubeError('Decode', `couldn't get version/kind; json parse error: ${why}`, { cause });
  }
}

/** The message of API clients for a response that is not a Status. */
function statusText(status: number, body: string): string {
  if (status === 404) return 'the server could not find the requested resource';
  if (status >= 500) {
    return `an error on the server (${JSON.stringify(body.trim())}) has prevented the request from succeeding`;
  }
  return `the server rejected our request for an unknown reason (status ${status})`;
}

/** The message that the real API server has for this error. */
function describe(error: unknown, { hostname, port }: URL): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const address = `${hostname}:${port || 443}`;
  if (code === 'ECONNREFUSED') return `dial tcp ${address}: connect: connection refused`;
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${hostname}: no such host`;
  if (['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'].includes(code)) {
    return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  }
  const message = error instanceof Error ? error.message : String(error);
  return code.startsWith('ERR_TLS') || code.startsWith('CERT')
    ? `tls: failed to verify certificate: ${message}`
    : message;
}
