import { NEVER } from 'rxjs';
import type { KubeRequest, KubeResponse, Transport } from '../client/transport.ts';
import { KubeError } from '../errors/kube-error.ts';
import { FakeStream } from './fake-stream.ts';

/** An answer of a script: a body to be sent as JSON, or status, headers and body. */
export type ScriptedAnswer = { status?: number; headers?: Record<string, string>; body: unknown };

/** A transport whose answers a test writes by hand; it records what was asked. */
export class ScriptedTransport implements Transport {
  readonly accessChanged = NEVER;
  readonly requests: KubeRequest[] = [];
  readonly streams: FakeStream[] = [];
  readonly #answer: (request: KubeRequest) => ScriptedAnswer | Promise<ScriptedAnswer>;

  constructor(answer: (request: KubeRequest) => ScriptedAnswer | Promise<ScriptedAnswer> = () => ({ body: {} })) {
    this.#answer = answer;
  }

  /** The newest request. */
  get last(): KubeRequest {
    const request = this.requests.at(-1);
    if (!request) throw new Error('nothing was requested');
    return request;
  }

  async request(request: KubeRequest): Promise<KubeResponse> {
    this.requests.push(request);
    const { status = 200, headers = {}, body } = await this.#answer(request);
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    if (status >= 300) throw KubeError.fromResponse(request, status, text, headers);
    return { status, headers, body: text };
  }

  async stream(request: KubeRequest): Promise<FakeStream> {
    this.requests.push(request);
    const stream = new FakeStream(request.signal);
    this.streams.push(stream);
    return stream;
  }

  async close(): Promise<void> {
    for (const stream of this.streams) stream.close();
  }
}
