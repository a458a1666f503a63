import { csrDriver } from '@flotilla/driver-csr';
import { type HubProgram, runHubProgram } from '@flotilla/hub-runtime/program';
import { defineOptions, type ProcessHost } from '@flotilla/process';
import { type Driver, declaredAuthType } from '@flotilla/registration-core/contract';

const hub = defineOptions({
  oidcUserPrefix: { type: 'string', default: 'oidc:', description: 'As --oidc-username-prefix of the API server.' },
});

/** The hub's side of an auth type of your own: agents have tokens of an OIDC issuer, for which each cluster is a user. */
const oidcDriver: Driver<Record<never, never>, typeof hub> = {
  authType: 'oidc',
  options: { agent: {}, hub },
  hub: ({ options }) => ({
    controllers: [],
    // An administrator decides about each cluster.
    accepts: (cluster) => (declaredAuthType(cluster) === 'oidc' ? 'refuse' : 'not mine'),
    subjects: (cluster) => [
      { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `${options.oidcUserPrefix}${cluster}` },
    ],
    clusterRules: () => [],
  }),
};

const myHub: HubProgram = { name: 'my-hub', version: '1.0.0', drivers: [csrDriver, oidcDriver] };

/** `my-hub controller` and `my-hub webhook-server`, each with `--help`, log, metrics, health and leader election. */
export const main = (host?: ProcessHost) => runHubProgram(myHub, host);
