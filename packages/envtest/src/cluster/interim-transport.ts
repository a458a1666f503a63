import { once } from 'node:events';
import { Agent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import type { ClusterAccess, KubeRequest, KubeResponse } from '@flotilla/kube';
import { KubeError } from '@flotilla/kube';

/** Until the kit's own transport is there. */
export function interimTransport(access: () => ClusterAccess): {
  request(request: KubeRequest): Promise<KubeResponse>;
  close(): Promise<void>;
} {
  const agent = new Agent({ keepAlive: true });
  return {
    async request({ method, path, headers, body, signal }) {
      const { server, ca, clientCertificate } = access();
      const request = httpsRequest(new URL(path, server), {
        agent,
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ca,
        cert: clientCertificate?.certificate,
        key: clientCertificate?.key,
        signal,
      });
      const answered = once(request, 'response');
      request.end(body);
      const [response] = await answered;
      const answer = await text(response);
      if (response.statusCode >= 300) throw KubeError.fromResponse({ method, path }, response.statusCode, answer);
      return { status: response.statusCode, headers: {}, body: answer };
    },
    async close() {
      agent.destroy();
    },
  };
}
