import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { ClusterAccess } from '@flotilla/kube';
import { parseJson } from '@flotilla/schema';
import type { Step } from './scenario.ts';
import { fill, fillAll, textAt, type Variables } from './variables.ts';

/** What a server answered: what a client could see of it. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly warnings: readonly string[];
  readonly retryAfter?: string;
  /** JSON if it is, text otherwise. */
  readonly body: unknown;
  /** Of a watch. */
  readonly events?: readonly unknown[];
  /** Of a watch that is to end. */
  readonly ended?: boolean;
}

const eventDeadlineMs = 5_000;

/** One of the two servers. Calls are made without any client library, so that nothing is repaired on the way. */
export class Server {
  readonly #url: string;
  readonly #agent: Agent;
  readonly #bareAgent: Agent;

  constructor(access: ClusterAccess) {
    this.#url = access.server;
    const { certificate, key } = access.clientCertificate ?? {};
    this.#agent = new Agent({ ca: access.ca, cert: certificate, key, keepAlive: true });
    this.#bareAgent = new Agent({ ca: access.ca, keepAlive: true });
  }

  close(): void {
    this.#agent.destroy();
    this.#bareAgent.destroy();
  }

  async send(step: Step, variables: Variables): Promise<Answer> {
    const response = await this.#request(step, variables);
    if (step.watch && response.statusCode === 200) {
      return { ...answerOf(response, ''), ...(await this.#events(response, step.watch, variables)) };
    }
    const answer = answerOf(response, await wholeBody(response, fill(step.call, variables)));
    for (const [name, path] of Object.entries(step.save ?? {})) {
      const value = textAt(answer.body, path);
      if (value !== undefined) variables.set(name, value);
    }
    return answer;
  }

  async #request(
    { call, body, type, accept, headers, as, bare }: Step,
    variables: Variables,
  ): Promise<IncomingMessage> {
    const [method, path = ''] = call.split(' ', 2);
    const content = typeof body === 'string' ? fill(body, variables) : JSON.stringify(fillAll(body, variables));
    const outgoing = request(encodeSpaces(`${this.#url}${fill(path, variables)}`), {
      agent: bare ? this.#bareAgent : this.#agent,
      method,
      headers: {
        ...(body !== undefined && {
          'content-type': type ?? 'application/json',
          'content-length': Buffer.byteLength(content),
        }),
        ...(accept !== undefined && { accept }),
        ...(as !== undefined && { 'impersonate-user': as }),
        'user-agent': 'differential/1.0',
        ...Object.fromEntries(
          Object.entries(headers ?? {}).map(([name, value]) => [
            name,
            typeof value === 'string' ? fill(value, variables) : value.map((line) => fill(line, variables)),
          ]),
        ),
      },
    });
    outgoing.end(content);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return response;
  }

  async #events(
    response: IncomingMessage,
    watch: NonNullable<Step['watch']>,
    variables: Variables,
  ): Promise<Pick<Answer, 'events' | 'ended'>> {
    const events: unknown[] = [];
    let ended = false;
    const lines = createInterface({ input: response })[Symbol.asyncIterator]();
    const late = AbortSignal.timeout(eventDeadlineMs);
    late.addEventListener('abort', () => response.destroy());
    for (const step of watch.meanwhile ?? []) await this.send(step, variables);
    try {
      while (events.length < watch.events) {
        const line = await lines.next();
        if (line.done) break;
        events.push(parseJson(line.value));
      }
      if (watch.ends) ended = (await lines.next()).done === true && !late.aborted;
    } catch (error) {
      // The stream was cut at the deadline: the comparison then reports fewer events than expected.
      if (!late.aborted) throw error;
    }
    response.destroy();
    return { events, ...(watch.ends && { ended }) };
  }
}

/** A watch that was not expected to be accepted never ends. */
async function wholeBody(response: IncomingMessage, call: string): Promise<string> {
  if (response.statusCode !== 200 || !/[?&]watch=(1|true)/.test(call) || !call.startsWith('GET '))
    return text(response);
  if (response.headers['content-length'] !== undefined) return text(response);
  response.destroy();
  return 'a watch';
}

const encodeSpaces = (url: string): string => url.replaceAll(' ', '%20');

function answerOf(response: IncomingMessage, content: string): Answer {
  const retryAfter = response.headers['retry-after'];
  return {
    status: response.statusCode ?? 0,
    contentType: response.headers['content-type'] ?? '',
    warnings: response.rawHeaders.filter((_, at, all) => at % 2 === 1 && all[at - 1]?.toLowerCase() === 'warning'),
    ...(retryAfter !== undefined && { retryAfter }),
    body: parsed(content),
  };
}

function parsed(content: string): unknown {
  try {
    return parseJson(content);
  } catch {
    return content;
  }
}
