import { ControllerName, DataKey, KlusterletReason, RegistrationDriverName, SecretName } from '@flotilla/api-types';
import {
  after,
  applyConditions,
  type Controller,
  defineController,
  done,
  generationChanged,
  isDeleting,
  on,
  type Result,
} from '@flotilla/kube';
import type { Secret } from '@flotilla/kube/kinds';
import type { KlusterletConfig } from '../config/klusterlet-config.ts';
import { problemsOf } from '../config/problems.ts';
import { type KlusterletDeps, klusterletsIn } from '../deps.ts';
import { configOf } from '../klusterlet.scope.ts';
import { askHub } from './check-hub.ts';
import {
  type BootstrapState,
  bootstrapFinding,
  type ConnectionFinding,
  credentialsFinding,
  hubConnection,
} from './hub-connection.status.ts';
import { ListedSecrets } from './listed-secrets.ts';
import { agentReviews, bootstrapReviews } from './reviews.policy.ts';

const reasons = KlusterletReason.HubConnectionDegraded;

/** Nobody reports that rights on a hub were taken away, so a working connection is asked about from time to time. */
const workingMs = 30 * 60_000;

/** A hub that refuses or does not answer may do so for a short time only. */
const failingMs = 30_000;

/** Reports whether the agents of klusterlets may do on their hub what they have to. */
export function hubConnectionController(deps: KlusterletDeps): Controller & Disposable {
  const { klusterlets, secrets, informers, clock } = deps;
  const listed = new ListedSecrets(informers);
  const controller = defineController({
    name: ControllerName.KlusterletHubConnection,
    watches: [
      on(klusterlets, undefined, generationChanged),
      ...secrets.caches.map((cache) => on(cache, klusterletsIn(klusterlets), isOfHub)),
      on(listed.changes),
    ],
    async reconcile(name, { signal }) {
      const klusterlet = klusterlets.get(name);
      if (!klusterlet || isDeleting(klusterlet)) {
        listed.follow(name, '', []);
        return done;
      }
      if (problemsOf(klusterlet).length > 0) return done;
      const config = configOf(deps, klusterlet);
      listed.follow(name, config.agentNamespace, config.hubSecrets);
      const credentials = await checkCredentials(deps, config, signal);
      const isWorking = credentials.reason === reasons.HubConnectionFunctional;
      const bootstrap = isWorking ? undefined : await checkBootstraps(deps, config, listed, signal);
      await applyConditions(klusterlets, klusterlet, [hubConnection(credentials, bootstrap)], { clock });
      return next(credentials, bootstrap);
    },
  });
  return { ...controller, [Symbol.dispose]: () => listed[Symbol.dispose]() };
}

const hubSecrets: readonly string[] = [SecretName.HubKubeconfig, SecretName.BootstrapHubKubeconfig];

const isOfHub = ({ object }: { readonly object: Secret }): boolean => hubSecrets.includes(object.metadata?.name ?? '');

function next(credentials: ConnectionFinding, bootstrap: ConnectionFinding | undefined): Result {
  if (!bootstrap) return after(workingMs, 'rights on the hub may have been taken away');
  const mayPass: readonly string[] = [
    reasons.HubKubeConfigUnauthorized,
    reasons.HubKubeConfigError,
    reasons.BootstrapSecretUnauthorized,
    reasons.BootstrapSecretError,
  ];
  const isPassing = [credentials, bootstrap].some(({ reason }) => mayPass.includes(reason));
  // What is missing comes with an event of its Secret.
  return isPassing ? after(failingMs, 'the hub may answer otherwise') : done;
}

/** Over gRPC and AWS the operator cannot act as the agents: that there are credentials is all that it sees. */
const isReviewed = ({ authType }: KlusterletConfig): boolean => authType === RegistrationDriverName.Csr;

const credentialsKey = ({ authType }: KlusterletConfig): string =>
  authType === RegistrationDriverName.Grpc ? DataKey.DriverConfig : DataKey.Kubeconfig;

async function checkCredentials(
  deps: KlusterletDeps,
  config: KlusterletConfig,
  signal: AbortSignal,
): Promise<ConnectionFinding> {
  const { agentNamespace, clusterName } = config;
  const secret = deps.secrets.get(agentNamespace, SecretName.HubKubeconfig);
  const state = {
    key: `${agentNamespace}/${SecretName.HubKubeconfig}`,
    exists: secret !== undefined,
    hasCredentials: Boolean(secret?.data?.[credentialsKey(config)]),
    clusterName,
  };
  if (!secret || !state.hasCredentials || clusterName === '' || !isReviewed(config)) return credentialsFinding(state);
  const answer = await askHub(deps, secret, agentReviews(clusterName, { isCsr: true }), signal);
  return credentialsFinding({ ...state, answer });
}

async function checkBootstraps(
  deps: KlusterletDeps,
  config: KlusterletConfig,
  listed: ListedSecrets,
  signal: AbortSignal,
): Promise<ConnectionFinding> {
  const { agentNamespace, hubSecrets: names, name } = config;
  const single = () => deps.secrets.get(agentNamespace, SecretName.BootstrapHubKubeconfig);
  const ways =
    names.length === 0
      ? [{ key: `${agentNamespace}/${SecretName.BootstrapHubKubeconfig}`, secret: single() }]
      : names.map((one) => `${agentNamespace}/${one}`).map((key) => ({ key, secret: listed.get(name, key) }));
  const states = ways.map(async ({ key, secret }): Promise<BootstrapState> => {
    if (!secret) return { key, exists: false };
    if (!isReviewed(config)) {
      const dataKey = credentialsKey(config);
      return { key, exists: true, ...(!secret.data?.[dataKey] && { missingKey: dataKey }) };
    }
    return { key, exists: true, answer: await askHub(deps, secret, bootstrapReviews(), signal) };
  });
  return bootstrapFinding(await Promise.all(states));
}
