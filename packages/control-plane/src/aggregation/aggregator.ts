import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { KubeError } from '@flotilla/kube';
import type { APIService } from '@flotilla/kube/kinds';
import type { KeyPair } from '@flotilla/kube/pki';
import type { ApiRequest, ApiResponse } from '../contracts/exchange.ts';
import type { Storage } from '../contracts/storage.ts';
import type { UpgradeOutcome } from '../contracts/upgrade.ts';
import type { UserInfo } from '../contracts/user-info.ts';
import type { ServiceResolver } from '../contracts/webhook-caller.ts';
import { answerHeaders, frontProxyHeaders } from './front-proxy-headers.ts';
import { addressOf } from './service-address.ts';

/** What requests are passed on with. */
export interface AggregatorOptions {
  readonly storage: Storage;
  readonly resolveService: ServiceResolver;
  /** As whom this server shows itself. */
  readonly frontProxy: () => KeyPair;
}

/** Passes requests on to the API servers that APIServices name, and says who sends them. */
export interface Aggregator {
  /** The other server that serves the path, if one does. */
  find(path: string): RemoteApi | undefined;
}

/** An API that another server serves. */
export interface RemoteApi {
  forward(request: ApiRequest, user: UserInfo, body: Buffer): Promise<ApiResponse>;
  upgrade(request: ApiRequest, user: UserInfo): Promise<UpgradeOutcome>;
}

const stored = 'apiregistration.k8s.io/apiservices';
const connectTimeoutMs = 75_000;

/** The aggregation layer, as kube-apiserver has one. */
export function createAggregator(options: AggregatorOptions): Aggregator {
  const { storage } = options;
  return {
    find(path) {
      const [root, group, version] = path.split('/').slice(1);
      if (root !== 'apis' || !group || !version) return undefined;
      const service: APIService | undefined = storage.get(stored, `${version}.${group}`);
      return service?.spec?.service ? remoteApi(options, service) : undefined;
    },
  };
}

function remoteApi(options: AggregatorOptions, service: APIService): RemoteApi {
  return {
    async forward(request, user, body) {
      const headers = { ...frontProxyHeaders(request.headers, user), ...lengthOf(body) };
      const sent = open(options, service, request, headers);
      const answered = new Promise<IncomingMessage>((resolve, reject) => {
        sent.once('response', resolve);
        sent.once('error', (cause) => reject(unreachable(service, cause)));
      });
      sent.end(body);
      return answerOf(await answered);
    },
    async upgrade(request, user) {
      const { upgrade: protocol = '' } = request.headers;
      const headers = { ...frontProxyHeaders(request.headers, user), connection: 'Upgrade', upgrade: protocol };
      const sent = open(options, service, request, headers);
      return new Promise((resolve, reject) => {
        sent.once('upgrade', (answer, socket, head) => {
          if (head.length > 0) socket.unshift(head);
          resolve({ switched: true, headers: answerHeaders(answer.headers), socket });
        });
        sent.once('response', (answer) => resolve({ switched: false, answer: answerOf(answer) }));
        sent.once('error', (cause) => reject(unreachable(service, cause)));
        sent.end();
      });
    },
  };
}

/**
 * Node sends the body of a GET or DELETE without its length, unless it is told to. The other server would take it for the next request,
 * in which the user could claim to be anybody.
 */
const lengthOf = ({ length }: Buffer): Record<string, string> =>
  length > 0 ? { 'content-length': String(length) } : {};

function open(
  { storage, resolveService, frontProxy }: AggregatorOptions,
  service: APIService,
  { method, path, query, signal }: ApiRequest,
  headers: Record<string, string | string[]>,
) {
  const { host, port, serverName } = addressOf(storage, resolveService, service);
  const { certificate: cert, key } = frontProxy();
  const { caBundle, insecureSkipTLSVerify } = service.spec ?? {};
  const search = query.toString();
  const sent = httpsRequest({
    host,
    port,
    method,
    path: search === '' ? path : `${path}?${search}`,
    headers,
    signal,
    timeout: connectTimeoutMs,
    // A connection each: the trust of an APIService may change at any time, and there are few requests.
    agent: new Agent({
      cert,
      key,
      servername: serverName,
      minVersion: 'TLSv1.2',
      rejectUnauthorized: insecureSkipTLSVerify !== true,
      ...(caBundle && { ca: Buffer.from(caBundle, 'base64').toString('utf8') }),
    }),
  });
  sent.once('timeout', () => sent.destroy(new Error('no answer in time')));
  sent.once('response', (answer) => answer.socket.setTimeout(0));
  sent.once('upgrade', (_, socket) => socket.setTimeout(0));
  return sent;
}

const answerOf = (answer: IncomingMessage): ApiResponse => ({
  status: answer.statusCode ?? 502,
  headers: answerHeaders(answer.headers),
  body: answer,
});

/** The words of the real aggregator. */
const unreachable = ({ metadata }: APIService, cause: Error): KubeError =>
  new KubeError('Unavailable', `error trying to reach service ${metadata?.name}: ${cause.message}`, {
    cause,
    status: 503,
  });
