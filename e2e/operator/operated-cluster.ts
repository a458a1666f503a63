import { mkdtemp, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { clusterManagers, NamespaceName } from '@flotilla/api-types';
import { awsIrsaDriver } from '@flotilla/driver-awsirsa';
import { csrDriver } from '@flotilla/driver-csr';
import { grpcDriver } from '@flotilla/driver-grpc';
import { clusterManagerDefinitions, clusterManagerObjects } from '@flotilla/install/chart';
import { namespaces, pods } from '@flotilla/kube/kinds';
import { type ProcessNode, startProcessNode } from '@flotilla/process-node';
import { apply, type Server, type ServerKind, startServer } from '../registration/servers.ts';
import { ownImages } from './own-images.ts';

/** Only ends what hangs, also on a machine that is busy elsewhere. */
export const patience = { timeout: 90_000, interval: 200 };

/** A cluster whose node runs our programs, with the operator of hubs as a Deployment. */
export interface OperatedCluster extends AsyncDisposable {
  readonly server: Server;
  readonly node: ProcessNode;
  /** The lines of all pods of a namespace that hold a text. */
  logs(namespace: string, text: string): Promise<string[]>;
  /** A condition of a ClusterManager as `True ClusterManagerApplied`, with its message if it is not true. */
  condition(type: string, name?: string): Promise<string>;
}

/** Starts one. `operator: false` leaves the operator out. */
export async function startOperatedCluster(kind: ServerKind, { operator = true } = {}): Promise<OperatedCluster> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startServer(kind, { crds: [], workloads: true }));
  // Not below /tmp: programs have an empty one of their own, which would hide their volumes.
  const directory = await mkdtemp(join(homedir(), '.cache', 'flotilla-operated-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const { client, access } = server;
  const node = stack.use(await startProcessNode({ client, server: access.server, images: ownImages, directory }));
  if (operator) await installOperator(server);
  const logs = async (namespace: string, text: string) => {
    const { items } = await client.resource(pods).list({ namespace });
    const found = await Promise.all(
      items.map(async ({ metadata, spec }) => {
        const path = `/api/v1/namespaces/${namespace}/pods/${metadata?.name}/log?container=${spec?.containers[0]?.name}`;
        const { body } = await client.transport.request({ method: 'GET', path }).catch(() => ({ body: '' }));
        return body.split('\n').map((line) => `${metadata?.name}: ${line}`);
      }),
    );
    return found.flat().filter((line) => line.includes(text));
  };
  const condition = async (type: string, name = 'cluster-manager') => {
    const { conditions = [] } = (await client.resource(clusterManagers).find(name))?.status ?? {};
    const { status, reason, message } = conditions.find((one) => one.type === type) ?? {};
    return status === 'True' && type === 'Applied' ? `${status} ${reason}` : `${status} ${reason}: ${message}`;
  };
  const cleanup = stack.move();
  return { server, node, logs, condition, [Symbol.asyncDispose]: () => cleanup.disposeAsync() };
}

/** As the chart does: the definition, the rights and the Deployment, one replica. */
async function installOperator(server: Server): Promise<void> {
  const drivers = [csrDriver, awsIrsaDriver, grpcDriver];
  const chart = clusterManagerObjects(
    { clusterManager: { create: false }, replicaCount: 1 },
    { version: '0.0.0', drivers },
  );
  for (const definition of await clusterManagerDefinitions()) await apply(server, definition);
  await server.client.resource(namespaces).create({ metadata: { name: NamespaceName.Operator } });
  for (const object of chart) await apply(server, object);
}
