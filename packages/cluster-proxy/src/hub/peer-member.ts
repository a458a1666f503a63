import type { IncomingMessage } from 'node:http';
import { type Agent, request as httpsRequest } from 'node:https';
import { clusterProxyPath } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import { replicaLimits } from '../limits.ts';
import type { Member, MemberRequest } from '../member/member.ts';
import { answerHeaders, headerList, headerRecord, requestHeaders } from '../member/passed-headers.ts';
import { encodeUser, userHeader } from '../tunnel/tunnel-heads.ts';

/** How another replica is reached. */
export interface PeerOptions {
  readonly cluster: string;
  /** Host and port of the replica. */
  readonly address: string;
  /** Verifies the replica, and shows it the certificate that only replicas have. */
  readonly agent: Agent;
}

const { peerHeadMs } = replicaLimits;

/**
 * Node sends the body of a GET or DELETE without its length, unless it is told to. The other replica would take it for the next request,
 * in which the user could claim to be anybody.
 */
const framed = { 'transfer-encoding': 'chunked' };

/** A cluster whose tunnel another replica has. */
export const peerMember = (options: PeerOptions): Member => ({
  async request(request) {
    const sent = open(options, request, request.body ? framed : {});
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve);
      sent.once('error', (cause) => reject(lost(options, cause)));
    });
    if (request.body) request.body.pipe(sent);
    else sent.end();
    return answerOf(await answered);
  },
  async upgrade(request) {
    const sent = open(options, request, { connection: 'Upgrade', upgrade: request.protocol });
    return new Promise((resolve, reject) => {
      sent.once('upgrade', (answer, socket, head) => {
        if (head.length > 0) socket.unshift(head);
        resolve({ switched: true, headers: answerHeaders(headerList(answer.rawHeaders)), socket });
      });
      sent.once('response', (answer) => resolve({ switched: false, ...answerOf(answer) }));
      sent.once('error', (cause) => reject(lost(options, cause)));
      sent.end();
    });
  },
});

function open({ cluster, address, agent }: PeerOptions, request: MemberRequest, own: Record<string, string>) {
  const { hostname, port } = new URL(`https://${address}`);
  const { method, path, headers, user, signal } = request;
  const passed = requestHeaders(headers).filter(([name]) => name !== 'content-length');
  const sent = httpsRequest({
    host: hostname.replace(/^\[|\]$/g, ''),
    port,
    agent,
    method,
    path: clusterProxyPath(cluster) + path,
    headers: { ...headerRecord(passed), [userHeader]: encodeUser(user), ...own },
    signal,
    timeout: peerHeadMs,
  });
  sent.once('timeout', () => sent.destroy(new Error(`no answer within ${peerHeadMs / 1000} s`)));
  sent.once('response', () => sent.setTimeout(0));
  sent.once('upgrade', (_, socket) => socket.setTimeout(0));
  return sent;
}

const answerOf = (answer: IncomingMessage) => ({
  status: answer.statusCode ?? 502,
  headers: answerHeaders(headerList(answer.rawHeaders)),
  body: answer,
});

const lost = ({ cluster, address }: PeerOptions, cause: Error): KubeError => {
  const what = `the replica of the hub at ${address}, which has the tunnel of cluster ${cluster}, does not answer`;
  return new KubeError('Unavailable', `${what}. The agent connects to another one: try again in some seconds.`, {
    cause,
  });
};
