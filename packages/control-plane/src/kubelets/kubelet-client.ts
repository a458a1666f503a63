import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { KeyPair } from '@flotilla/kube/pki';
import type { KubeletClient } from '../contracts/kubelet.ts';

/** What the API server shows to kubelets, and verifies them by. */
export interface KubeletCredentials {
  readonly authority: KeyPair;
  readonly kubeletClient: KeyPair;
}

const connectDeadlineMs = 10_000;

/** The credentials are read for each request: they are renewed while the server runs. */
export const createKubeletClient = (credentials: KubeletCredentials): KubeletClient => ({
  async get({ host, port }, path, query, signal) {
    const { authority, kubeletClient } = credentials;
    const request = httpsRequest({
      host,
      port,
      path: `${path}?${query}`,
      agent: false,
      signal,
      ca: authority.certificate,
      cert: kubeletClient.certificate,
      key: kubeletClient.key,
      timeout: connectDeadlineMs,
    });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve);
      request.once('timeout', () =>
        request.destroy(new Error(`no answer of ${host}:${port} in ${connectDeadlineMs} ms`)),
      );
      request.once('error', reject);
      request.end();
    });
    // A log that is followed may be silent for as long as it likes.
    request.setTimeout(0);
    response.setEncoding('utf8');
    return { status: response.statusCode ?? 0, chunks: response };
  },
});
