import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { realClock } from '@flotilla/kube';
import { createAuthority, issueCertificate } from '@flotilla/kube/pki';

/** What was sent to the relay. */
export interface RelayedRequest {
  readonly path: string;
  readonly authorization?: string;
  /** All headers and the body, to look for secrets in. */
  readonly text: string;
}

/** One who sits between a cluster and its hub, and reads and changes what passes. */
export interface Relay extends AsyncDisposable {
  /** `host:port`. */
  readonly address: string;
  /** PEM of the CA of its own certificate. */
  readonly ca: string;
  readonly requests: RelayedRequest[];
  /** Changes answers about `cluster-info`; by default it passes them on as they are. */
  forge: (configMap: ClusterInfo) => ClusterInfo;
}

/** As far as it is forged. */
export interface ClusterInfo {
  data: Record<string, string>;
}

async function bodyOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Starts one in front of a server, with a certificate of its own CA for its address. */
export async function startRelay(target: string): Promise<Relay> {
  const authority = await createAuthority('relay', realClock);
  const pair = await issueCertificate(authority, { usage: 'server', hosts: ['127.0.0.1'] }, realClock);
  const requests: RelayedRequest[] = [];
  const server = createServer({ cert: pair.certificate, key: pair.key });
  const relay: Relay = {
    get address() {
      return `127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    ca: authority.certificate,
    requests,
    forge: (configMap) => configMap,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
  server.on('request', async (incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    const body = await bodyOf(incoming);
    const { authorization } = headers;
    requests.push({
      path: url.split('?')[0] ?? '',
      ...(authorization !== undefined && { authorization }),
      text: `${JSON.stringify(headers)}${body}`,
    });
    const { host: _host, 'accept-encoding': _encoding, ...passed } = headers;
    const onward = httpsRequest(`${target}${url}`, { method, headers: passed, rejectUnauthorized: false });
    onward.end(body);
    const [answer] = (await once(onward, 'response')) as [IncomingMessage];
    const text = await bodyOf(answer);
    const isInfo = url.includes('/configmaps/cluster-info') && answer.statusCode === 200;
    outgoing.writeHead(answer.statusCode ?? 500, { 'content-type': answer.headers['content-type'] ?? 'text/plain' });
    outgoing.end(isInfo ? JSON.stringify(relay.forge(JSON.parse(text))) : text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return relay;
}
