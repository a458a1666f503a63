import { mkdtemp, rm } from 'node:fs/promises';
import type { KlusterletSpec } from '@flotilla/api-types';
import { applyObjects, definitionsToApply, type Owner } from '@flotilla/install';
import {
  type GivenValues,
  type KlusterletChartValues,
  klusterletDefinitions,
  klusterletObjects,
} from '@flotilla/install/chart';
import { type ClusterAccess, realClock } from '@flotilla/kube';
import { deployments } from '@flotilla/kube/kinds';
import { formatKubeconfig, kubeconfigFor } from '@flotilla/kube/kubeconfig';
import { type Image, startProcessNode } from '@flotilla/process-node';
import { type Server, type ServerKind, startServer } from '../registration/servers.ts';
import { type Watching, watching } from '../registration/watching.ts';
import { ownImages } from './own-images.ts';

/** A cluster that runs pods: operators and agents from the files that they are shipped as. */
export interface AgentCluster extends AsyncDisposable {
  readonly server: Server;
  readonly seen: Watching;
  /** Installs the operator, and a Klusterlet if its values say so. */
  install(values: GivenValues<KlusterletChartValues>): Promise<void>;
}

const owner: Owner = { labels: {}, fieldManager: 'e2e' };

/** Starts an API server, with a node. */
export async function startAgentCluster(
  kind: ServerKind,
  more: Readonly<Record<string, Image>> = {},
): Promise<AgentCluster> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startServer(kind, { crds: [], workloads: true }));
  // Not in /tmp, which containers have volumes at: their other volumes would be hidden.
  const directory = await mkdtemp('/var/tmp/flotilla-agents-');
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const { client, access } = server;
  stack.use(await startProcessNode({ client, server: access.server, images: { ...ownImages, ...more }, directory }));
  const seen = stack.use(watching(client));
  const cleanup = stack.move();
  return {
    server,
    seen,
    async install(values) {
      const definitions = await definitionsToApply(client, await klusterletDefinitions(), owner);
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'open-cluster-management' } };
      const objects = klusterletObjects(values, { version: '0.0.0' });
      await applyObjects(client, [...definitions, namespace, ...objects], { owner, clock: realClock });
      await seen.until(deployments, 'the operator', ({ metadata, status }) =>
        metadata?.name === 'klusterlet' ? (status?.availableReplicas ?? 0) > 0 : false,
      );
    },
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}

/** A bootstrap kubeconfig, as the chart takes it. */
export const bootstrapOf = (access: ClusterAccess): string =>
  formatKubeconfig(kubeconfigFor(access, { cluster: 'hub', user: 'bootstrap', context: 'bootstrap' }));

/** The mode of a Klusterlet. */
export const modeOf = (mode: string): Pick<KlusterletSpec, 'deployOption'> => ({ deployOption: { mode } });
