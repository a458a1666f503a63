import { addOnTemplates } from '@flotilla/api-types';
import { configKind, startAuthor, startWorkAgents } from '@flotilla/e2e';
import type { KubeClient } from '@flotilla/kube';

export { configKind };

/** The name of the add-on. */
export const addOn = 'hello';
/** Where its configuration is. */
export const namespace = 'team';

/** How an add-on is made. */
export interface AddOnMaking {
  /** What it takes besides an AddOnDeploymentConfig. */
  readonly configs: readonly { readonly group: string; readonly resource: string; readonly name: string }[];
  /** Our time divided by OCM's. Absent: what runs beside the add-on manager has the larger part of it. */
  readonly bound?: number;
  create(client: KubeClient): Promise<void>;
  /** All that runs beside the add-on manager; it is a part of the benchmark, and the same for all contestants. */
  start(client: KubeClient): AsyncDisposable;
}

/** The add-on manager renders it, deploys it and reports it: only agents run beside it. */
const fromTemplate: AddOnMaking = {
  bound: 0.2,
  configs: [{ group: configKind.group, resource: 'addontemplates', name: addOn }],
  async create(client) {
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: addOn } };
    const manifests = [{ ...configMap, data: { value: '{{VALUE}}' } }];
    const spec = { addonName: addOn, agentSpec: { workload: { manifests } }, registration: [] };
    await client.resource(addOnTemplates).create({ metadata: { name: addOn }, spec });
  },
  start: (client) => startWorkAgents(client),
};

/** Its own manager hashes configurations, deploys works and reports them. */
const byOwnManager: AddOnMaking = {
  configs: [],
  create: async () => {},
  start: (client) => startAuthor(client, addOn),
};

export const makings = { 'template add-on': fromTemplate, 'add-on with its own manager': byOwnManager };
