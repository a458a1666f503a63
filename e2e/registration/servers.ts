import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { type AuditEvent, startCluster } from '@flotilla/envtest';
import {
  type ClusterAccess,
  createKubeClient,
  type KubeClient,
  KubeError,
  kubeconfigAccess,
  realClock,
  staticAccess,
} from '@flotilla/kube';
import { createToken } from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import type { KubeObject } from '@flotilla/schema';
import { parseAllDocuments } from 'yaml';
import { type Program, startFile } from './program.ts';

/** What a suite runs on: our API server, or a real one with etcd and the controller manager. */
export type ServerKind = 'embedded' | 'kube-apiserver';

const allKinds: readonly ServerKind[] = ['embedded', 'kube-apiserver'];
const { FLOTILLA_E2E_SERVERS: asked } = process.env;

/** The kinds that this run is about: each group of suites has its own (`suites.ts`). */
export const serverKinds = allKinds.filter((kind) => asked === undefined || asked.split(',').includes(kind));

/** An API server with its administrator. */
export interface Server extends AsyncDisposable {
  readonly client: KubeClient;
  readonly access: ClusterAccess;
  /** Requests so far, if the server keeps an audit log: the embedded one does not. */
  auditEvents?(): Promise<AuditEvent[]>;
}

/** One that can be killed, because it is a process of its own. */
export interface MortalServer extends Server {
  /** SIGKILL: without graceful shutdown. */
  kill(): Promise<void>;
  /** Comes back at the same address with the same data. */
  start(): Promise<void>;
}

/** How a server is started. */
export interface ServerOptions {
  /** None for one that is to become a hub or a managed cluster by the command line. Default: Flotilla's kinds. */
  readonly crds?: readonly KubeObject[];
  /** How long certificates live that it signs. */
  readonly certificateSeconds?: number;
  /** Keeps a log of requests, where the server can. */
  readonly audit?: boolean;
  /** Reaches Services of type ExternalName, for programs that a test starts on this machine, instead of endpoints. */
  readonly externalServices?: boolean;
  /** Runs the controllers of Deployments, Jobs and endpoints, for a node that runs pods. */
  readonly workloads?: boolean;
}

/** Starts an API server that knows Flotilla's kinds; the embedded one in this process. */
export const startServer = (kind: ServerKind, options: ServerOptions = {}): Promise<Server> => {
  const { crds = customResourceDefinitions(), certificateSeconds } = options;
  const { audit = false, workloads = false, externalServices = false } = options;
  if (kind === 'kube-apiserver') {
    return startCluster({
      crds,
      audit,
      ...(externalServices && { apiServerFlags: { 'enable-aggregator-routing': 'false' } }),
      workloads,
      ...(certificateSeconds !== undefined && { signingDuration: `${certificateSeconds}s` }),
    });
  }
  return startControlPlane({
    crds,
    workloads,
    ...(certificateSeconds !== undefined && { maxCertificateLifeMs: certificateSeconds * 1000 }),
  });
};

/** Starts an API server as a process that a test may kill. */
export async function startMortalServer(kind: ServerKind): Promise<MortalServer> {
  if (kind === 'embedded') return startControlPlaneProcess();
  const cluster = await startCluster({ crds: customResourceDefinitions() });
  return {
    client: cluster.client,
    access: cluster.access,
    kill: () => cluster.apiServer.kill(),
    start: () => cluster.apiServer.start(),
    [Symbol.asyncDispose]: () => cluster.stop(),
  };
}

const controlPlane = fileURLToPath(new URL('../../packages/control-plane/dist/bin/cli.js', import.meta.url));

async function startControlPlaneProcess(): Promise<MortalServer> {
  await using cleanup = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-control-plane-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  let program: Program | undefined;
  const run = async (port: string) => {
    program = startFile(controlPlane, [`--data-dir=${directory}`, `--port=${port}`, '--crds', '--logging-format=json']);
    await program.said('"msg":"serving"');
  };
  await run('0');
  cleanup.defer(async () => void (await program?.end('SIGKILL')));
  const source = kubeconfigAccess({ files: join(directory, 'kubeconfig.yaml'), clock: realClock, env: {} });
  const access = await source.current();
  source.close();
  const client = createKubeClient({ access: staticAccess(access) });
  cleanup.defer(() => client.close());
  const running = cleanup.move();
  return {
    client,
    access,
    kill: async () => void (await program?.end('SIGKILL')),
    start: () => run(new URL(access.server).port),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The objects of a manifest that an app is deployed with. */
export async function manifest(app: string, file: string): Promise<KubeObject[]> {
  const text = await readFile(new URL(`../../apps/${app}/deploy/${file}`, import.meta.url), 'utf8');
  return parseAllDocuments(text).map((document) => document.toJS());
}

/** Applies manifests of an app. */
export async function deploy(server: Server, app: string, files: readonly string[]): Promise<void> {
  for (const file of files) for (const object of await manifest(app, file)) await apply(server, object);
}

/** Makes an object be as it is written. */
export async function apply({ client }: Server, object: KubeObject): Promise<void> {
  const { apiVersion = '', kind = '' } = object;
  const handle = await client.dynamic({ apiVersion, kind }).catch(async (error: unknown) => {
    // Its definition may have been applied just now, after the client last looked.
    if (!KubeError.is(error, 'UnknownKind')) throw error;
    await sleep(error.retryAfterMs);
    return client.dynamic({ apiVersion, kind });
  });
  await handle.apply(object, { fieldManager: 'e2e', force: true });
}

/** How a service account reaches the server, as a pod would. */
export async function accessOf(
  { client, access }: Server,
  account: string,
  { expirationSeconds = 7200 }: { readonly expirationSeconds?: number } = {},
): Promise<ClusterAccess> {
  const { token } = await createToken(client, account, { expirationSeconds });
  const { server, ca } = access;
  return { server, ca, authorization: `Bearer ${token}`, origin: account };
}

/** Writes a kubeconfig of a service account and gives its path. */
export async function kubeconfigOf(server: Server, account: string, directory: string): Promise<string> {
  const path = join(directory, `${account.replace('/', '-')}.yaml`);
  await writeKubeconfig(path, kubeconfigFor(await accessOf(server, account)));
  return path;
}
