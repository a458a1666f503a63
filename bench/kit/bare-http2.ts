import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import type { ClusterAccess } from '@flotilla/kube';

/** What the kit is measured against: the least code that gets an object over `node:http2`. */
export async function connectBare(access: ClusterAccess): Promise<ClientHttp2Session> {
  const { ca, clientCertificate } = access;
  const session = connect(access.server, { ca, cert: clientCertificate?.certificate, key: clientCertificate?.key });
  await once(session, 'connect');
  return session;
}

export const getBare = (session: ClientHttp2Session, path: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const stream = session.request({ ':method': 'GET', ':path': path, accept: 'application/json' });
    let body = '';
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      body += chunk;
    });
    stream.on('end', () => resolve(JSON.parse(body)));
    stream.on('error', reject);
    stream.end();
  });

/** Calls back with each event of a watch; resolves when the server has begun it, so that no later event is missed. */
export async function watchBare(
  session: ClientHttp2Session,
  path: string,
  onEvent: (event: WatchEvent) => void,
): Promise<() => void> {
  const stream = session.request({ ':method': 'GET', ':path': path, accept: 'application/json' });
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onEvent(JSON.parse(line));
  });
  stream.end();
  await once(stream, 'response');
  return () => stream.close();
}

export interface WatchEvent {
  readonly object: { readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> } };
}
