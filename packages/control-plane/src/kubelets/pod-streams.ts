import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Pod } from '@flotilla/kube/kinds';
import type { ApiRequest, ApiResponse } from '../contracts/exchange.ts';
import type { Storage } from '../contracts/storage.ts';
import type { UpgradeOutcome } from '../contracts/upgrade.ts';
import { notFound } from '../errors/api-errors.ts';
import type { RequestInfo } from '../requests/request-info.ts';
import type { KubeletCredentials } from './kubelet-client.ts';
import { containerOf, internal, kubeletOf } from './pod-location.ts';

/** Passes `exec` and `portforward` of pods on to the kubelet of their node. */
export interface PodStreams {
  /** Undefined for a request about something else. */
  find(info: RequestInfo): ((request: ApiRequest) => Promise<UpgradeOutcome>) | undefined;
}

/** What the kubelet needs to see of the client's request; no credential is among it. */
const passedHeaders = /^(sec-websocket-.*|x-stream-protocol-version)$/;
/** What its parameters are called there. */
const streamParameters = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' } as const;
const podResource = { group: '', plural: 'pods' };

export const createPodStreams = (storage: Pick<Storage, 'get'>, credentials: KubeletCredentials): PodStreams => ({
  find(info) {
    if (info.kind !== 'resource' || info.group !== '' || info.resource !== 'pods') return undefined;
    const { subresource, namespace = '', name = '' } = info;
    if (subresource !== 'exec' && subresource !== 'portforward') return undefined;
    return (request) => {
      const pod: Pod | undefined = storage.get('/pods', `${namespace}/${name}`);
      if (!pod) throw notFound(podResource, name);
      const parts = [namespace, name].map(encodeURIComponent).join('/');
      if (subresource === 'portforward') return upgrade(storage, credentials, pod, request, `/portForward/${parts}`);
      const container = encodeURIComponent(containerOf(pod, request.query.get('container') ?? ''));
      return upgrade(storage, credentials, pod, request, `/exec/${parts}/${container}?${execQuery(request.query)}`);
    };
  },
});

function execQuery(query: URLSearchParams): URLSearchParams {
  const kubelet = new URLSearchParams();
  for (const [name, other] of Object.entries(streamParameters)) {
    if (['true', '1'].includes(query.get(name) ?? '')) kubelet.set(other, '1');
  }
  for (const part of query.getAll('command')) kubelet.append('command', part);
  return kubelet;
}

function upgrade(
  storage: Pick<Storage, 'get'>,
  { authority, kubeletClient }: KubeletCredentials,
  pod: Pod,
  { headers, signal }: ApiRequest,
  path: string,
): Promise<UpgradeOutcome> {
  const { host, port } = kubeletOf(storage, pod);
  const passed = Object.fromEntries(Object.entries(headers).filter(([name]) => passedHeaders.test(name)));
  const sent = httpsRequest({
    host,
    port,
    path,
    agent: false,
    signal,
    ca: authority.certificate,
    cert: kubeletClient.certificate,
    key: kubeletClient.key,
    headers: { ...passed, connection: 'Upgrade', upgrade: headers.upgrade ?? '' },
  });
  return new Promise((resolve, reject) => {
    sent.once('upgrade', (answer, socket, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve({ switched: true, headers: shown(answer), socket });
    });
    sent.once('response', (answer) => resolve({ switched: false, answer: refusal(answer) }));
    sent.once('error', ({ message }) =>
      reject(internal(`the kubelet at ${host}:${port} cannot be reached: ${message}`)),
    );
    sent.end();
  });
}

const shown = ({ headers }: IncomingMessage): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value !== undefined && passedHeaders.test(name) ? [[name, value]] : [],
    ),
  );

const refusal = (answer: IncomingMessage): ApiResponse => ({
  status: answer.statusCode ?? 502,
  headers: { 'content-type': answer.headers['content-type'] ?? 'text/plain' },
  body: answer,
});
