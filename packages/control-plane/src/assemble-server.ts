import { randomInt } from 'node:crypto';
import { type Clock, createKubeClient, type Logger } from '@flotilla/kube';
import { type EndpointSlice, resourceQuotas } from '@flotilla/kube/kinds';
import { createAdmission } from './admission/index.ts';
import { createWebhookCaller } from './admission/webhooks/caller.ts';
import { createAggregator } from './aggregation/aggregator.ts';
import { createAuthn } from './authn/index.ts';
import { createRbac } from './authz/index.ts';
import type { Backend } from './contracts/backend.ts';
import type { ApiHandler } from './contracts/exchange.ts';
import type { Registry } from './contracts/resource-info.ts';
import { systemMasters, type UserInfo } from './contracts/user-info.ts';
import { createConversions } from './conversion/conversions.ts';
import { createTableMaker, discoveryHandlers } from './discovery/index.ts';
import { healthChecks } from './health-checks.ts';
import { createKubeletClient } from './kubelets/kubelet-client.ts';
import { createPodStreams } from './kubelets/pod-streams.ts';
import { defaultLimits } from './limits/limits.ts';
import { createRequestLimits } from './limits/request-limits.ts';
import type { State } from './open-state.ts';
import type { ControlPlaneOptions } from './options.ts';
import type { RunningParts } from './running-parts.ts';
import { builtInResources } from './schema/built-in.ts';
import { followDefinitions } from './schema/definitions.ts';
import { createObjectSchemas } from './schema/objects.ts';
import { createRegistry } from './schema/registry.ts';
import { createHandler, createUpgradeHandler } from './server/handler.ts';
import type { HttpServerOptions } from './server/http-server.ts';
import { inProcessTransport } from './server/in-process-transport.ts';
import { createSystemObjects } from './system-objects/system-objects.ts';
import { logVerbs, subresourceVerbs } from './verbs/subresources/index.ts';
import { storedVerbs } from './verbs/verbs.ts';
import { type ServiceLookup, serviceEndpoint } from './workloads/index.ts';

export interface AssembleOptions
  extends Pick<ControlPlaneOptions, 'staticTokens' | 'authenticateToken' | 'resolveService'> {
  readonly state: State;
  readonly running: Pick<RunningParts, 'serverUrl' | 'serverAddress' | 'controllersError'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newUid: () => string;
}

/** The API server without its socket. */
export interface AssembledServer {
  readonly handler: ApiHandler;
  readonly upgrade: HttpServerOptions['upgrade'];
  readonly registry: Registry;
}

/** The user of requests that the server sends to itself. */
const apiServer: UserInfo = { name: 'system:apiserver', groups: [systemMasters, 'system:authenticated'] };

/** Connects the parts of the API server; nothing listens and no controller runs yet. `cleanup` ends what they hold. */
export function assembleServer(options: AssembleOptions, cleanup: AsyncDisposableStack): AssembledServer {
  const { state, running, clock, log, newUid } = options;
  const { storage, journal, pki } = state;
  const resolveService = options.resolveService ?? ((service) => serviceEndpoint(service, serviceLookup(storage)));
  const registry = createRegistry(builtInResources());
  const schemas = createObjectSchemas();
  cleanup.defer(followDefinitions({ storage, registry, clock, log }));
  const rbac = createRbac({ storage, clock, newUid });
  cleanup.defer(() => rbac.close());
  createSystemObjects({ storage, registry, clock, newUid });
  const { authorizer } = rbac;
  const authn = createAuthn({
    storage,
    clock,
    log,
    newUid,
    authorizer,
    serviceAccountKey: pki.serviceAccountKey,
    serverUrl: () => running.serverUrl,
    staticTokens: options.staticTokens,
    authenticateToken: options.authenticateToken,
  });
  const caller = createWebhookCaller({ clock, resolveService });
  cleanup.defer(() => caller.close());
  const common = { storage, registry, schemas, clock, log, newUid, newSuffix };
  const admission = createAdmission({
    ...common,
    authorizer,
    caller,
    updateQuotaStatus: (quota) => ownClient.resource(resourceQuotas).status.replace(quota),
    plugins: [rbac.admission],
  });
  const conversions = createConversions({ caller, newUid });
  const limits = defaultLimits;
  const backend: Backend = { ...common, conversions, admission, limits };
  const health = healthChecks({ clock, journal, controllersError: () => running.controllersError });
  const serverAddress = () => running.serverAddress;
  const handling = {
    backend,
    authenticate: authn.authenticate,
    impersonate: authn.impersonate,
    authorizer,
    aggregator: createAggregator({ storage, resolveService, frontProxy: () => pki.frontProxy }),
    paths: [...discoveryHandlers({ registry, clock, serverAddress, platform, health }), ...authn.paths],
    verbs: [...authn.verbs, ...rbac.verbs, ...subresourceVerbs, logVerbs(createKubeletClient(pki)), storedVerbs],
    toTable: createTableMaker(clock),
    podStreams: createPodStreams(storage, pki),
    limits: createRequestLimits(limits),
    log,
  };
  const handler = createHandler(handling);
  const transport = inProcessTransport(handler, apiServer);
  const ownClient = createKubeClient({ transport, clock, log, fieldManager: 'kube-apiserver' });
  cleanup.defer(() => ownClient.close());
  return { handler, upgrade: createUpgradeHandler(handling), registry };
}

const serviceLookup = (storage: State['storage']): ServiceLookup => ({
  service: (key) => storage.get('/services', key),
  slices: (namespace) => storage.list('discovery.k8s.io/endpointslices', namespace) as readonly EndpointSlice[],
});

/** As Go names it. */
const platform = `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`;

/** Kubernetes' own alphabet for generated names: no vowels, so no words. */
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const newSuffix = (): string =>
  Array.from({ length: 5 }, () => suffixAlphabet[randomInt(suffixAlphabet.length)]).join('');
