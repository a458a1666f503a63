import {
  createInformers,
  createKubeClient,
  type KubeClient,
  realClock,
  runControllers,
  silentLogger,
} from '@flotilla/kube';
import { createKlusterletOperator } from '@flotilla/operator';

/** Runs the agents of each Klusterlet of a cluster, until the signal aborts. */
export async function runAgents(client: KubeClient, signal: AbortSignal): Promise<void> {
  const common = { clock: realClock, log: silentLogger };
  using informers = createInformers({ client, ...common });
  const operator = createKlusterletOperator({
    client,
    informers,
    connect: (access) => createKubeClient({ access, ...common }),
    options: {
      namespace: 'open-cluster-management',
      images: { agent: 'example.com/agent:v1', singleton: 'example.com/singleton:v1' },
      replicas: 1,
      controlPlaneSelector: '',
      managesAddOnNamespace: true,
      grantsWorkPayloads: true,
      syncsLabels: false,
    },
    ...common,
  });
  try {
    await runControllers(operator.controllers, { signal, ...common });
  } finally {
    await operator.close();
  }
}
