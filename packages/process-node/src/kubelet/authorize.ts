import type { TLSSocket } from 'node:tls';
import { type KubeClient, KubeError } from '@flotilla/kube';
import { reviewAccess } from '@flotilla/kube/kinds';

/** Whether a caller may use the kubelet's endpoint: by its certificate, then by what the API server says of its rights. */
export type KubeletAuthorizer = (socket: TLSSocket, verb: 'get' | 'create') => Promise<KubeletDecision>;

export type KubeletDecision = { readonly status: 200 } | { readonly status: 401 | 403 | 503; readonly message: string };

/** The caller must present a certificate that the server verified, and may use `nodes/proxy` of this node, as a kubelet asks. */
export const kubeletAuthorizer =
  (client: KubeClient, node: string): KubeletAuthorizer =>
  async (socket, verb) => {
    const subject = socket.authorized ? socket.getPeerCertificate().subject : undefined;
    if (!subject?.CN) return { status: 401, message: 'Unauthorized: a client certificate of the cluster is needed' };
    const username = [subject.CN].flat().at(-1) ?? '';
    const groups = [...[subject.O ?? []].flat(), 'system:authenticated'];
    const resourceAttributes = { resource: 'nodes', subresource: 'proxy', verb, name: node, version: 'v1' };
    try {
      const { allowed } = await reviewAccess(
        client,
        { username, groups },
        { resourceAttributes },
        { deadlineMs: 10_000 },
      );
      if (allowed) return { status: 200 };
      return { status: 403, message: `Forbidden (user=${username}, verb=${verb}, resource=nodes, subresource=proxy)` };
    } catch (error) {
      return {
        status: 503,
        message: `the API server cannot be asked for permission: ${KubeError.from(error).message}`,
      };
    }
  };
