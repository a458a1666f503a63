import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Clock, createKubeClient, type KubeClient, type Logger, realClock, silentLogger } from '@flotilla/kube';
import { requireNode } from '@flotilla/kube/errors';
import { type Observable, Subject } from 'rxjs';
import { type AdministratorAccess, administratorAccess } from './administrator-access.ts';
import { type AssembledServer, assembleServer } from './assemble-server.ts';
import { renewRegularly, signCertificateRequest } from './authn/index.ts';
import { systemMasters, type UserInfo } from './contracts/user-info.ts';
import { type CertificateSigner, type RunningControllers, startControllers } from './controllers/index.ts';
import { installDefinitions } from './install-definitions.ts';
import { openState, type State } from './open-state.ts';
import type { ControlPlane, ControlPlaneOptions } from './options.ts';
import { reachableIp } from './reachable-ip.ts';
import { RunningParts } from './running-parts.ts';
import { type HttpServer, serveHttps } from './server/http-server.ts';
import { inProcessTransport } from './server/in-process-transport.ts';
import { startSimulator } from './simulator/index.ts';
import { ensure, keptObjects } from './system-objects/system-objects.ts';
import { startWorkloads } from './workloads/index.ts';

const administrator: UserInfo = { name: 'kubernetes-admin', groups: [systemMasters, 'system:authenticated'] };

/** What every step needs. */
interface Start {
  readonly options: ControlPlaneOptions;
  readonly host: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newUid: () => string;
  /** Stops what the steps started, the last one first: when the control plane stops, or when a later step fails. */
  readonly cleanup: AsyncDisposableStack;
}

/** Starts an API server with its storage and controllers in this process, and resolves when it is ready. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  requireNode('startControlPlane()');
  const { clock = realClock, log = silentLogger, host = '127.0.0.1', dataDirectory, kubeconfigNames } = options;
  const { kubeconfigPath = dataDirectory && join(dataDirectory, 'kubeconfig.yaml') } = options;
  await using cleanup = new AsyncDisposableStack();
  const start: Start = { options, host, clock, log, newUid: () => randomUUID(), cleanup };

  const state = await openState({ ...options, host, clock, log }, cleanup);
  const running = new RunningParts(host);
  const assembled = assembleServer({ ...options, state, running, clock, log, newUid: start.newUid }, cleanup);
  running.server = await listen(start, state, assembled);
  const access = administratorAccess({ pki: state.pki, server: running.serverUrl, kubeconfigPath, kubeconfigNames });
  const clientOf = (user: UserInfo): KubeClient =>
    createKubeClient({ transport: inProcessTransport(assembled.handler, user), clock, log });
  const client = clientOf(administrator);
  cleanup.defer(() => client.close());
  const renewed = new Subject<void>();
  running.controllers = runControllers(start, state, assembled, { server: running.server, renewed });
  keepCertificates(start, state, { access, server: running.server, renewed });
  await running.controllers.ready;
  simulate(start, assembled);
  runWorkloads(start, assembled);
  const isNew = dataDirectory === undefined;
  await installDefinitions({ ...start, client, storage: state.storage, isNew }, options.crds ?? []);
  await access.write();

  const started = cleanup.move();
  const stop = () => started.disposeAsync();
  return {
    server: running.serverUrl,
    get ca() {
      return state.pki.authority.certificate;
    },
    get access() {
      return access.access;
    },
    get kubeconfig() {
      return access.kubeconfig;
    },
    ...(kubeconfigPath !== undefined && { kubeconfigPath }),
    client,
    clientOf,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The HTTPS server, unless there shall be none. */
async function listen(
  { options, host, clock, log, cleanup }: Start,
  { pki }: State,
  { handler, upgrade }: AssembledServer,
): Promise<HttpServer | undefined> {
  if (options.listen === false) return undefined;
  const { certificate, key } = pki.serving;
  const clientCa = pki.authority.certificate;
  const server = await serveHttps({
    handler,
    upgrade,
    host,
    port: options.port ?? 0,
    certificate,
    key,
    clientCa,
    clock,
    log,
  });
  cleanup.defer(() => server.close());
  return server;
}

/** Renews certificates before they end, in the server and in the kubeconfig of the administrator. */
function keepCertificates(
  { host, clock, log, newUid, cleanup }: Start,
  { storage, pki }: State,
  { access, server, renewed }: { access: AdministratorAccess; server: HttpServer | undefined; renewed: Subject<void> },
): void {
  const publish = async () => {
    server?.renew({ ...pki.serving, clientCa: pki.authority.certificate });
    for (const object of systemObjects(server, host, pki)) ensure({ storage, clock, newUid }, object);
    renewed.next();
    await access.write();
  };
  cleanup.defer(renewRegularly({ pki, clock, log, publish }));
}

/** Writes the objects that every cluster has, and runs the controllers. */
function runControllers(
  { options, host, clock, log, newUid, cleanup }: Start,
  { storage, pki }: State,
  { handler, registry }: AssembledServer,
  { server, renewed }: { server: HttpServer | undefined; renewed: Observable<void> },
): RunningControllers {
  const sign: CertificateSigner = (request) =>
    signCertificateRequest({ ...request, authority: pki.authority, clock, maxLifeMs: options.maxCertificateLifeMs });
  const kept = () => systemObjects(server, host, pki);
  for (const object of kept()) ensure({ storage, clock, newUid }, object);
  const controllers = startControllers({
    handler,
    storage,
    registry,
    clock,
    log,
    rootCa: () => pki.authority.certificate,
    renewed,
    sign,
    systemObjects: kept,
    newUid,
  });
  cleanup.defer(() => controllers.close());
  return controllers;
}

/** What every cluster has, with the certificates of now. */
const systemObjects = (server: HttpServer | undefined, host: string, pki: State['pki']) =>
  keptObjects(server && { ip: reachableIp(host), port: server.port }, pki);

/** Runs the simulator, if it is asked for. */
function simulate({ options, clock, log, cleanup }: Start, { handler }: AssembledServer): void {
  if (!options.simulator) return;
  const settings = options.simulator === true ? {} : options.simulator;
  const simulator = startSimulator({ handler, clock, log, ...settings });
  cleanup.defer(() => simulator.close());
}

/** Runs the controllers of workloads, if they are asked for. */
function runWorkloads({ options, clock, log, cleanup }: Start, { handler }: AssembledServer): void {
  if (!options.workloads || options.simulator) return;
  const workloads = startWorkloads({ handler, clock, log });
  cleanup.defer(() => workloads.close());
}
