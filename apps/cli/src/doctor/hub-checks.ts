import {
  AppLabelValue,
  clusterManagers,
  type ManagedCluster,
  managedClusters,
  manifestWorks,
  NamespaceName,
} from '@flotilla/api-types';
import type { HubAddress } from '@flotilla/install';
import { KubeError } from '@flotilla/kube';
import { findCondition } from '@flotilla/kube/conditions';
import { ifServed } from '../cluster/served.ts';
import type { CliContext, Connection } from '../context.ts';
import { type ClusterInfo, publishedAddress, readClusterInfo } from '../hub/cluster-info.ts';
import { addressWarning } from '../hub/join-info.ts';
import { findLeader } from '../hub/leader.ts';
import { findOperator } from '../operator/live-operator.ts';
import { addOnCheck } from './addon-check.ts';
import { type Check, countOf, failed, ok, warning } from './check.ts';
import { conditionsOutcome, serverChecks } from './common-checks.ts';
import { operatorCheck, partsCheck } from './deployment-checks.ts';
import { rolloutCheck } from './rollout-check.ts';

/** What makes a hub a working one, from the server to its clusters. */
export async function hubChecks(context: CliContext, hub: Connection): Promise<Check[]> {
  const { client } = hub;
  const recorded = (await ifServed(() => client.resource(clusterManagers).list(), { items: [] })).items;
  const operator = await findOperator(client, AppLabelValue.ClusterManager);
  const operatorRuns = (operator?.status?.availableReplicas ?? 0) > 0;
  return [
    ...serverChecks(client, context),
    ...(operator ? [operatorCheck(client, operator)] : []),
    ...(operator ? recorded : []).flatMap((manager): Check[] => {
      const { metadata, spec, status } = manager;
      const what = `clustermanager/${metadata?.name}`;
      const namespace = spec?.deployOption?.mode === 'Hosted' ? (metadata?.name ?? '') : NamespaceName.Hub;
      return [
        [what, async () => conditionsOutcome(status?.conditions ?? [], what, operatorRuns)],
        partsCheck(client, 'programs', namespace),
      ];
    }),
    ['controllers', () => controllers(context, hub, operator !== undefined)],
    ['admission', () => admission(hub)],
    ['cluster-info', () => clusterInfo(context, hub)],
    ...fleetChecks(context, hub),
    rolloutCheck(client, context.program),
  ];
}

const hubPods = `kubectl -n ${NamespaceName.Hub} get pods`;

async function controllers({ clock, program }: CliContext, { client }: Connection, inPods: boolean) {
  const leader = await findLeader(client, clock);
  if ('found' in leader) return ok(`are led by ${leader.found}`);
  if (inPods) return failed(leader.pending, `See why their pods do not run: ${hubPods}`);
  const fix = `Start them as \`${program} init\` prints.`;
  return warning(`${leader.pending} (those of ${program} up need no leader)`, fix);
}

/** A cluster that is not created: the API server asks all webhooks about it. */
async function admission({ client }: Connection) {
  const probe: ManagedCluster = { metadata: { name: 'flotilla-doctor' }, spec: { hubAcceptsClient: false } };
  try {
    await client.resource(managedClusters).create(probe, { dryRun: true });
  } catch (error) {
    const { message } = KubeError.from(error);
    if (!message.includes('failed calling webhook')) throw error;
    return failed(
      `a webhook does not answer, so that the API server refuses changes of clusters: ${message}`,
      `See why its pods do not run: ${hubPods}`,
    );
  }
  return ok('webhooks and policies answer');
}

async function clusterInfo({ program }: CliContext, { client, access }: Connection) {
  const own = await publishedAddress(client, access);
  const { server, ca } = await ifServed<ClusterInfo, ClusterInfo>(() => readClusterInfo(client), {});
  if (server === undefined) {
    return warning('the hub publishes no address in kube-public/cluster-info', `Repeat \`${program} init\`.`);
  }
  if (addressWarning(server)) {
    return warning(
      `publishes ${server}, which clusters on other machines cannot reach`,
      `${howToPublish(program, own)} Or give an address that they reach to each \`${program} join\` with --hub-apiserver.`,
    );
  }
  if (ca === undefined) return ok(`publishes ${server}, with a certificate of a public CA`);
  return ok(`publishes ${server} and its CA`);
}

/** `init` leaves a cluster-info of another owner alone. */
function howToPublish(program: string, own: HubAddress | undefined): string {
  if (!own)
    return 'Put an address that they reach into the ConfigMap kube-public/cluster-info, which another program made.';
  if (addressWarning(own.server))
    return `Put an address that they reach into this kubeconfig, and repeat \`${program} init\`.`;
  return `Repeat \`${program} init\`, which publishes ${own.server}.`;
}

const fleetChecks = ({ program }: CliContext, { client }: Connection): Check[] => [
  [
    'clusters',
    async () => {
      const { items } = await client.resource(managedClusters).list();
      const waiting = items.filter(({ spec }) => !spec?.hubAcceptsClient);
      const lost = items.filter(
        (cluster) =>
          cluster.spec?.hubAcceptsClient &&
          findCondition(cluster.status?.conditions, 'ManagedClusterConditionAvailable')?.status !== 'True',
      );
      if (lost.length > 0) {
        return failed(`not available: ${names(lost)}`, `See why: ${program} get clusters ${lost[0]?.metadata?.name}`);
      }
      if (waiting.length > 0) {
        return warning(`wait to be accepted: ${names(waiting)}`, `${program} accept --clusters ${names(waiting, ',')}`);
      }
      return ok(items.length === 0 ? 'none has joined yet' : `${countOf(items)} available`);
    },
  ],
  [
    'works',
    async () => {
      const { items } = await client.resource(manifestWorks).list();
      const wrong = items.filter(({ status }) => findCondition(status?.conditions, 'Applied')?.status !== 'True');
      const [first] = wrong;
      if (!first) return ok(items.length === 0 ? 'there are none' : `${countOf(items)} applied`);
      const { name, namespace } = first.metadata ?? {};
      return failed(
        `${wrong.length} of ${items.length} are not applied`,
        `${program} explain work ${name} --cluster ${namespace}`,
      );
    },
  ],
  addOnCheck(client, program),
];

const names = (clusters: readonly ManagedCluster[], separator = ', '): string =>
  clusters.map(({ metadata }) => metadata?.name).join(separator);
