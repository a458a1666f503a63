import { type KubeClient, KubeError } from '@flotilla/kube';
import { pods } from '@flotilla/kube/kinds';
import type { AgentCheck } from './lease.ts';

/** A pod that a label selector names is running. */
export const podRunning =
  (client: Pick<KubeClient, 'resource'>, namespace: string, labelSelector: string): AgentCheck =>
  async (signal) => {
    const { items } = await client.resource(pods).list({ namespace, labelSelector, signal });
    return items.some(({ status }) => status?.phase === 'Running')
      ? undefined
      : `no pod of ${labelSelector} in ${namespace} is running`;
  };

/** The API server answers: /livez, or /healthz where that is not served or not allowed. */
export const apiServerLive =
  ({ transport }: Pick<KubeClient, 'transport'>): AgentCheck =>
  async (signal) => {
    const probe = (path: string) => transport.request({ method: 'GET', path, signal });
    try {
      await probe('/livez');
    } catch (error) {
      if (!KubeError.is(error, 'NotFound', 'Forbidden')) throw error;
      await probe('/healthz');
    }
    return undefined;
  };
