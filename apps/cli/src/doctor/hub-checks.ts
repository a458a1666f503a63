import {
  AppLabelValue,
  clusterManagers,
  type ManagedCluster,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
} from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube/conditions';
import { ifServed } from '../cluster/served.ts';
import type { CliContext, Connection } from '../context.ts';
import { type ClusterInfo, publishedAddress, readClusterInfo } from '../hub/cluster-info.ts';
import { addressWarning } from '../hub/join-info.ts';
import { findLeader } from '../hub/leader.ts';
import { hasOperator } from '../operator/remove-operator.ts';
import { type Check, failed, ok, warning } from './check.ts';
import { conditionsOutcome, operatorCheck, serverChecks } from './common-checks.ts';

/** What makes a hub a working one, from the server to its clusters. */
export async function hubChecks(context: CliContext, hub: Connection): Promise<Check[]> {
  const { client } = hub;
  const recorded = (await ifServed(() => client.resource(clusterManagers).list(), { items: [] })).items;
  const withOperator = await hasOperator(client, AppLabelValue.ClusterManager);
  return [
    ...serverChecks(client, context),
    ...(withOperator ? [operatorCheck(client, AppLabelValue.ClusterManager)] : []),
    ...(withOperator
      ? recorded.map(({ metadata, status }): Check => {
          const what = `clustermanager/${metadata?.name}`;
          return [what, async () => conditionsOutcome(status?.conditions ?? [], what)];
        })
      : []),
    ['controllers', () => controllers(context, hub)],
    ['admission', () => admission(hub)],
    ['cluster-info', () => clusterInfo(hub)],
    ...fleetChecks(context, hub),
  ];
}

async function controllers({ clock, program }: CliContext, { client }: Connection) {
  const leader = await findLeader(client, clock);
  if ('found' in leader) return ok(`are led by ${leader.found}`);
  const fix = `Start them as \`${program} init\` prints, or see why their pods do not run: kubectl -n open-cluster-management-hub get pods`;
  return warning(`${leader.pending} (those of ${program} up need no leader)`, fix);
}

/** A cluster that is not created: the API server asks all webhooks about it. */
async function admission({ client }: Connection) {
  const probe: ManagedCluster = { metadata: { name: 'flotilla-doctor' }, spec: { hubAcceptsClient: false } };
  await client.resource(managedClusters).create(probe, { dryRun: true });
  return ok('webhooks and policies answer');
}

async function clusterInfo({ client, access }: Connection) {
  await publishedAddress(client, access);
  const { server, ca } = await ifServed<ClusterInfo, ClusterInfo>(() => readClusterInfo(client), {});
  if (server === undefined) {
    return warning('the hub publishes no address in kube-public/cluster-info', 'Repeat flotilla init.');
  }
  const problem = addressWarning(server);
  if (problem) return warning(problem, 'Publish an address that clusters can reach, or give it by --hub-apiserver.');
  if (ca === undefined) return ok(`publishes ${server}, with a certificate of a public CA`);
  return ok(`publishes ${server} and its CA`);
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
      return ok(items.length === 0 ? 'none has joined yet' : `${items.length} are available`);
    },
  ],
  [
    'works',
    async () => {
      const { items } = await client.resource(manifestWorks).list();
      const wrong = items.filter(({ status }) => findCondition(status?.conditions, 'Applied')?.status !== 'True');
      const [first] = wrong;
      if (!first) return ok(`${items.length} are applied`);
      const { name, namespace } = first.metadata ?? {};
      return failed(
        `${wrong.length} of ${items.length} are not applied`,
        `${program} explain work ${name} --cluster ${namespace}`,
      );
    },
  ],
  [
    'add-ons',
    async () => {
      const { items } = await ifServed(() => client.resource(managedClusterAddOns).list(), { items: [] });
      const wrong = items.filter(({ status }) => findCondition(status?.conditions, 'Available')?.status !== 'True');
      const [first] = wrong;
      if (!first) return ok(`${items.length} are available`);
      const { name, namespace } = first.metadata ?? {};
      return failed(
        `${wrong.length} of ${items.length} are not available`,
        `${program} explain addon ${name} --cluster ${namespace}`,
      );
    },
  ],
];

const names = (clusters: readonly ManagedCluster[], separator = ', '): string =>
  clusters.map(({ metadata }) => metadata?.name).join(separator);
