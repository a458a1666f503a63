import { mkdtemp, rm } from 'node:fs/promises';
import { csrDriver } from '@flotilla/driver-csr';
import { applyObjects, definitionsToApply, type Owner } from '@flotilla/install';
import {
  clusterManagerDefinitions,
  clusterManagerObjects,
  klusterletDefinitions,
  klusterletObjects,
} from '@flotilla/install/chart';
import { realClock } from '@flotilla/kube';
import { clusterRoleBindings, deployments, type Pod, pods } from '@flotilla/kube/kinds';
import { type Image, startProcessNode } from '@flotilla/process-node';
import type { KubeObject } from '@flotilla/schema';
import { expect } from 'vitest';
import { pinnedVersion } from '../ocm/programs.ts';
import { bundleOf, filesOf } from '../registration/program.ts';
import { type Server, startServer } from '../registration/servers.ts';
import { type Watching, watching } from '../registration/watching.ts';
import {
  type OperatorRole,
  ocmImages,
  ocmOperator,
  ocmOperatorRights,
  operatorNamespace,
  type Project,
} from './ocm-operator.ts';

/** A cluster whose operator is OCM's and ours in turn. Its pods are of both, unmodified, each with a network of its own. */
export interface TurningCluster extends AsyncDisposable {
  readonly server: Server;
  readonly seen: Watching;
  /** Ends the operator that runs, if one does. */
  endOperator(): Promise<void>;
  /** Starts an operator, and waits until it is available. */
  startOperator(of: Project): Promise<void>;
  /** Pods that are not ready, with the end of their logs, for a failure. */
  troubles(): Promise<string>;
}

const owner: Owner = { labels: {}, fieldManager: 'e2e' };

const ownImage =
  (app: string): Image =>
  ({ args }) => ({ command: process.execPath, args: [bundleOf(app), ...args], files: filesOf(app) });

const ownImages = {
  'flotilla/operator': ownImage('operator'),
  'flotilla/hub': ownImage('hub'),
  'flotilla/agent': ownImage('agent'),
};

const isOf =
  (role: OperatorRole) =>
  ({ metadata }: KubeObject): boolean =>
    metadata?.namespace === operatorNamespace && metadata.name === role;

/** Starts one. Its pods reach its own API server, and these. */
export async function startTurningCluster(role: OperatorRole, servers: string[] = []): Promise<TurningCluster> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startServer('kube-apiserver', { crds: [], workloads: true }));
  // Not in /tmp, which containers have volumes at: their other volumes would be hidden.
  const directory = await mkdtemp('/var/tmp/flotilla-turning-');
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const { client, access } = server;
  const images = { ...ownImages, ...(await ocmImages('namespace')) };
  stack.use(
    await startProcessNode({ client, server: access.server, images, directory, network: 'namespace', servers }),
  );
  const seen = stack.use(watching(client));
  const version = await pinnedVersion();
  const key = `${operatorNamespace}/${role}`;
  const apply = (objects: readonly KubeObject[]) => applyObjects(client, objects, { owner, clock: realClock });
  await apply(await firstObjects(server, role));
  const cleanup = stack.move();
  return {
    server,
    seen,
    async endOperator() {
      await client.resource(deployments).delete(key);
      const running = async () => (await client.resource(pods).list({ namespace: operatorNamespace })).items.length;
      await expect.poll(running, { timeout: 60_000, interval: 200 }).toBe(0);
      await client.resource(clusterRoleBindings).delete('ocm-operator');
    },
    async startOperator(of) {
      await apply(of === 'ocm' ? [ocmOperatorRights(role), ocmOperator(role, version)] : ownOperator(role));
      const isAvailable = ({ status }: { status?: { availableReplicas?: number } }) =>
        (status?.availableReplicas ?? 0) > 0;
      await seen.until(deployments, `the operator of ${of}`, (one) => isOf(role)(one) && isAvailable(one));
    },
    troubles: () => troublesOf(server),
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}

async function troublesOf({ client }: Server): Promise<string> {
  const { items } = await client.resource(pods).list({});
  const isTrouble = ({ status }: Pod) => status?.containerStatuses?.some(({ ready }) => !ready) !== false;
  const told = items.filter(isTrouble).map(async ({ metadata, status }) => {
    const path = `/api/v1/namespaces/${metadata?.namespace}/pods/${metadata?.name}/log?tailLines=20`;
    const { body } = await client.transport
      .request({ method: 'GET', path })
      .catch((error) => ({ body: String(error) }));
    return `${metadata?.name} ${JSON.stringify(status?.containerStatuses?.[0]?.state)}\n${body}`;
  });
  return (await Promise.all(told)).join('\n');
}

/** What both operators need: the definition of their kind, and a namespace with the account. */
async function firstObjects({ client }: Server, role: OperatorRole): Promise<KubeObject[]> {
  const definitions = role === 'klusterlet' ? await klusterletDefinitions() : await clusterManagerDefinitions();
  return [
    ...(await definitionsToApply(client, definitions, owner)),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: operatorNamespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: operatorNamespace, name: role } },
  ];
}

/** Our chart, without the object that the operator works on. */
const ownOperator = (role: OperatorRole): KubeObject[] =>
  role === 'klusterlet'
    ? klusterletObjects({ klusterlet: { create: false } }, { version: '0.0.0' })
    : clusterManagerObjects(
        { clusterManager: { create: false }, replicaCount: 1 },
        { version: '0.0.0', drivers: [csrDriver] },
      );
