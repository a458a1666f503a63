import {
  type Configuration,
  createConfiguration,
  type RequestContext,
  ResponseContext,
  ServerConfiguration,
  wrapHttpLibrary,
} from '@kubernetes/client-node';
import type { HttpMethod } from '../client/transport.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { KubeClient } from '../resources/kube-client.ts';

/** A placeholder: the transport knows the server, and only the path and the query of a URL are used. */
const anyServer = new ServerConfiguration('https://kubernetes.invalid', {});

/**
 * The configuration of client-node's API classes over the transport of a client: `new CoreV1Api(apiConfiguration(client))`. Their
 * requests have the client's credentials, retries, deadlines and metrics; what the server refuses is client-node's `ApiException`.
 */
export const apiConfiguration = (client: Pick<KubeClient, 'transport'>): Configuration =>
  createConfiguration({
    baseServer: anyServer,
    httpApi: wrapHttpLibrary({ send: (request) => send(client, request) }),
  });

async function send({ transport }: Pick<KubeClient, 'transport'>, request: RequestContext): Promise<ResponseContext> {
  const { pathname, search } = new URL(request.getUrl());
  const body = request.getBody();
  const signal = request.getSignal();
  try {
    const answer = await transport.request({
      method: methodOf(request.getHttpMethod()),
      path: pathname + search,
      headers: request.getHeaders(),
      ...(body !== undefined && { body: String(body) }),
      ...(signal && { signal }),
    });
    return responseOf(answer.status, answer.headers, answer.body);
  } catch (error) {
    // client-node makes its own error of an answer; without one there is nothing to make it of.
    if (!(error instanceof KubeError) || error.status === undefined) throw error;
    const status = error.apiStatus ?? { kind: 'Status', status: 'Failure', code: error.status, message: error.message };
    return responseOf(error.status, { 'content-type': 'application/json' }, JSON.stringify(status));
  }
}

const methods: readonly HttpMethod[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

function methodOf(method: string): HttpMethod {
  const known = methods.find((candidate) => candidate === method);
  if (known) return known;
  throw new KubeError('BadRequest', `API servers do not answer ${method}`);
}

function responseOf(status: number, headers: Readonly<Record<string, string>>, text: string): ResponseContext {
  const binary = async () => Buffer.from(text);
  const stream = () => new Blob([text]).stream();
  return new ResponseContext(status, { ...headers }, { text: async () => text, binary, stream });
}
