import { ManagedClusterAddOnCondition, managedClusterAddOns } from '@flotilla/api-types';
import { applyObjects } from '@flotilla/install';
import { type Clock, createInformers, isConditionTrue, type KubeClient } from '@flotilla/kube';
import { bundledAddOns } from '../addon/bundled-addons.ts';
import { cliOwner } from '../cluster/owner.ts';
import { when } from '../cluster/when.ts';
import { parseManifests } from '../work/manifests.ts';

/** The add-on of the quickstart, which its next steps mention. */
export const exampleAddOn = 'helloworld';

/** What the quickstart shows with. */
interface ShowAddOnInput {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly cluster: string;
  /** Whether pods run on the cluster: nothing runs them on a real API server alone. */
  readonly runsPods: boolean;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Makes the hub offer an add-on, enables it on a cluster, and waits until it is Available there. */
export async function showAddOn({ client, clock, cluster, runsPods, report, signal }: ShowAddOnInput): Promise<void> {
  const bundle = parseManifests(bundledAddOns[exampleAddOn] ?? '', `the bundle ${exampleAddOn}`);
  await applyObjects(client, bundle, { owner: cliOwner, clock });
  report(`the hub offers add-on ${exampleAddOn}`);
  using informers = createInformers({ client, clock });
  const addOns = informers.resource(managedClusterAddOns, { namespace: cluster });
  await client
    .resource(managedClusterAddOns)
    .create({ metadata: { namespace: cluster, name: exampleAddOn }, spec: {} });
  report(`${cluster} is given add-on ${exampleAddOn}`);
  const { Available, ManifestApplied } = ManagedClusterAddOnCondition;
  const last = runsPods ? Available : ManifestApplied;
  await when(
    addOns,
    ({ metadata, status }) => metadata?.name === exampleAddOn && isConditionTrue(status?.conditions, last),
    signal,
  );
  report(
    `${cluster} ${runsPods ? 'reports that' : 'has applied'} add-on ${exampleAddOn}${runsPods ? ' is Available' : ''}`,
  );
}
