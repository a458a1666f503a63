import { randomInt, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { KubeObject } from '@flotilla/api-types';
import {
  type ClusterAccess,
  createKubeClient,
  customResourceDefinitions,
  formatKubeconfig,
  kubeconfigFor,
  realClock,
  silentLogger,
  writeKubeconfig,
} from '@flotilla/kube';
import { createAdmission } from './admission/index.ts';
import { createWebhookCaller } from './admission/webhooks/caller.ts';
import {
  createAuthn,
  createPki,
  directoryKeyStore,
  memoryKeyStore,
  renewRegularly,
  signCertificateRequest,
  systemMasters,
  type UserInfo,
} from './authn/index.ts';
import { createRbac } from './authz/index.ts';
import { type CertificateSigner, type RunningControllers, startControllers } from './controllers/index.ts';
import { createConversions } from './conversion/conversions.ts';
import { createTableMaker, discoveryHandlers } from './discovery/index.ts';
import { healthChecks } from './health-checks.ts';
import type { ControlPlane, ControlPlaneOptions } from './options.ts';
import { builtInResources } from './schema/built-in.ts';
import { followDefinitions } from './schema/definitions.ts';
import { createObjectSchemas } from './schema/objects.ts';
import { createRegistry } from './schema/registry.ts';
import { createHandler } from './server/handler.ts';
import { type HttpServer, serveHttps } from './server/http-server.ts';
import { inProcessTransport } from './server/in-process-transport.ts';
import { startSimulator } from './simulator/index.ts';
import { compactRegularly } from './storage/compaction.ts';
import { noJournal } from './storage/journal.ts';
import { createStorage } from './storage/memory-storage.ts';
import { openSqliteJournal } from './storage/sqlite-journal.ts';
import type { Backend } from './verbs/backend.ts';
import { subresourceVerbs } from './verbs/subresources/index.ts';
import { storedVerbs } from './verbs/verbs.ts';

const administrator: UserInfo = { name: 'kubernetes-admin', groups: [systemMasters, 'system:authenticated'] };

/** Starts an API server with its storage and controllers in this process, and resolves when it is ready. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { dataDirectory, clock = realClock, log = silentLogger, host = '127.0.0.1', port = 0, listen = true } = options;
  await using cleanup = new AsyncDisposableStack();

  const journal =
    dataDirectory === undefined
      ? noJournal
      : openSqliteJournal({ file: join(dataDirectory, 'state.db'), durability: options.durability });
  const storage = createStorage(journal);
  cleanup.defer(() => storage.close());
  cleanup.defer(compactRegularly(storage, clock));
  const store = dataDirectory === undefined ? memoryKeyStore() : await directoryKeyStore(join(dataDirectory, 'pki'));
  const pki = await createPki({ store, clock, hosts: [host, ...(options.hosts ?? [])] });

  const newUid = () => randomUUID();
  const registry = createRegistry(builtInResources());
  const schemas = createObjectSchemas();
  cleanup.defer(followDefinitions({ storage, registry, clock }));
  const rbac = createRbac({ storage, clock, newUid });
  cleanup.defer(() => rbac.close());
  let server: HttpServer | undefined;
  let controllers: RunningControllers | undefined;
  const url = () => (server ? `https://${host}:${server.port}` : '');
  const authn = createAuthn({
    storage,
    clock,
    log,
    newUid,
    authorizer: rbac.authorizer,
    serviceAccountKey: pki.serviceAccountKey,
    serverUrl: url,
    staticTokens: options.staticTokens,
  });
  const admission = createAdmission({
    storage,
    registry,
    schemas,
    authorizer: rbac.authorizer,
    clock,
    log,
    newUid,
    newSuffix,
    resolveService: options.resolveService,
    plugins: [rbac.admission],
  });
  cleanup.defer(() => admission.close());

  const { resolveService = () => undefined } = options;
  const caller = createWebhookCaller({ clock, resolveService });
  cleanup.defer(() => caller.close());
  const conversions = createConversions({ caller, newUid });
  const backend: Backend = { storage, registry, schemas, conversions, admission, clock, log, newUid, newSuffix };
  const handler = createHandler({
    backend,
    authenticate: authn.authenticate,
    impersonate: authn.impersonate,
    authorizer: rbac.authorizer,
    paths: [
      ...discoveryHandlers({
        registry,
        clock,
        serverAddress: () => `${host}:${server?.port ?? 0}`,
        platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
        health: healthChecks({
          clock,
          journal,
          controllerProblem: () => (controllers ? controllers.problem() : 'the controllers are not started yet'),
        }),
      }),
      ...authn.paths,
    ],
    verbs: [...authn.verbs, ...rbac.verbs, ...subresourceVerbs, storedVerbs],
    toTable: createTableMaker(clock),
    log,
  });

  if (listen) {
    const { certificate, key } = pki.serving;
    const clientCa = pki.authority.certificate;
    server = await serveHttps({ handler, host, port, certificate, key, clientCa, clock, log });
    cleanup.defer(() => server?.close());
    cleanup.defer(renewRegularly(pki, clock, () => server?.renew(pki.serving.certificate, pki.serving.key)));
  }
  const clientOf = (user: UserInfo) => createKubeClient({ transport: inProcessTransport(handler, user), clock, log });
  const client = clientOf(administrator);
  cleanup.defer(() => client.close());
  const rootCa = pki.authority.certificate;
  const sign: CertificateSigner = (request) =>
    signCertificateRequest({ ...request, authority: pki.authority, clock, maxLifeMs: options.maxCertificateLifeMs });
  const running = startControllers({ handler, storage, registry, clock, log, rootCa, sign });
  controllers = running;
  cleanup.defer(() => running.close());
  await running.ready;
  if (options.simulator) {
    const wanted = options.simulator === true ? {} : options.simulator;
    const simulator = startSimulator({ handler, clock, log, ...wanted });
    cleanup.defer(() => simulator.close());
  }
  const definitions = client.resource<KubeObject>(customResourceDefinitions);
  for (const crd of options.crds ?? []) await definitions.apply(crd, { fieldManager: 'flotilla', force: true });

  const access: ClusterAccess = {
    server: url(),
    ca: pki.authority.certificate,
    clientCertificate: pki.admin,
    origin: 'control plane',
  };
  const document = kubeconfigFor(access, { cluster: 'flotilla', user: 'kubernetes-admin', context: 'flotilla' });
  const kubeconfigPath = options.kubeconfigPath ?? (dataDirectory && join(dataDirectory, 'kubeconfig.yaml'));
  if (kubeconfigPath !== undefined) await writeKubeconfig(kubeconfigPath, document);
  const everything = cleanup.move();
  const stop = () => everything.disposeAsync();
  return {
    server: access.server,
    ca: pki.authority.certificate,
    access,
    kubeconfig: formatKubeconfig(document),
    ...(kubeconfigPath !== undefined && { kubeconfigPath }),
    client,
    clientOf,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Kubernetes' own alphabet for generated names: no vowels, so no words. */
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const newSuffix = (): string =>
  Array.from({ length: 5 }, () => suffixAlphabet[randomInt(suffixAlphabet.length)]).join('');
