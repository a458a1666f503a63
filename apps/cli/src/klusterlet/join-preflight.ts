import type { ManagedCluster } from '@flotilla/api-types';
import type { AgentValues } from '@flotilla/install';
import type { KubeClient } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import type { CliContext, Connection, GlobalOptions } from '../context.ts';
import { addonEntry, addonFlags } from '../drivers/addon-drivers.ts';
import type { ProgramSettings } from '../drivers/registration-driver.ts';
import { agentEntry, agentSettings } from '../drivers/registration-drivers.ts';
import { findSameIdentity } from '../managed/hub-checks.ts';
import type { HubReach } from '../managed/hub-reach.ts';
import { readToken } from '../managed/hub-token.ts';
import { checkKinds, checkResidualObjects } from '../managed/member-checks.ts';
import {
  checkHub,
  checkNameIsFree,
  checkNotJoined,
  checkRights,
  checkToken,
  externalServer,
} from '../managed/preflight.ts';
import { type Preflight, startPreflight, warnOnly } from '../managed/preflight-report.ts';
import { wayToHub } from '../managed/way-to-hub.ts';
import { agentComponents } from '../operator/agent-edit.ts';
import type { DeployMode } from '../operator/deploy-mode.ts';
import type { JoinOptions } from '../operator/join-options.ts';
import { checkClusterName } from '../options/cluster-name.ts';
import { checkFeatureGates, recordedGates } from '../options/feature-gates.ts';
import type { Progress } from '../output/progress.ts';
import type { EarlierJoin } from './earlier-join.ts';
import { againWithoutToken } from './run-again.ts';

/** What is known before the checks. */
interface PreflightInput {
  /** Where the Klusterlet goes. */
  readonly managed: Connection;
  /** The cluster that joins, if its agent runs on another one. */
  readonly hosted: Connection | undefined;
  readonly mode: DeployMode;
  readonly progress: Progress;
  readonly earlier: EarlierJoin | undefined;
}

/** Checks all that can be checked before something is changed. Returns how to reach the hub, and what to install. */
export async function joinPreflight(
  context: CliContext,
  options: JoinOptions & GlobalOptions,
  { managed, hosted, mode, progress, earlier }: PreflightInput,
): Promise<Prepared> {
  const joining = (hosted ?? managed).client;
  const { report = { checks: [] } } = options;
  const check = startPreflight(progress, report);
  const clusterName = await check('cluster name', () => checkClusterName(options.clusterName));
  const featureGates = await check('feature gates', () => checkFeatureGates(agentComponents, options.featureGates));
  const registrationDriver = await check('registration', () =>
    agentEntry(options.registrationAuth, options, (hosted ?? managed).access, earlier?.klusterlet),
  );
  const addonDriver = await check('registration of add-ons', () => addonEntry(options, earlier?.klusterlet));
  const way = wayToHub(registrationDriver.authType);
  const address = await check('address of the hub', () => way.addressOf(options, earlier?.reach));
  const token = await check('token', async () =>
    checkToken(await readToken(context, options, againWithoutToken(context, options, earlier)), context.clock.now()),
  );
  await check('rights on this cluster', () => checkRights(managed.client, options));
  // One that hosts agents has a Klusterlet for each of them.
  if (!hosted) await checkMember(check, managed.client, { clusterName, isJoined: earlier !== undefined });
  else await check('managed cluster', () => hosted.client.resource(namespaces).list());
  const hub = await way.reach({ context, options, address, token, check, earlier: earlier?.reach });
  await using connection = await hub.connect();
  await check('hub', () => checkHub(connection.client, clusterName));
  const cluster = await check('name on the hub', () => checkNameIsFree(connection.client, clusterName, joining));
  await warnOnly(progress, 'identity on the hub', report, () =>
    findSameIdentity(connection.client, clusterName, joining),
  );
  const external = await externalServer(joining);
  const { clientCertExpirationSeconds, klusterletAnnotation: annotations } = options;
  return {
    hub,
    cluster,
    values: {
      clusterName,
      ...hub.bootstrap,
      mode,
      featureGates: { ...gatesOfAgent(earlier), ...featureGates },
      registrationDriver,
      ...(addonDriver && { addonDriver }),
      programs: withFlags(agentSettings(registrationDriver), addonFlags(addonDriver)),
      ...(clientCertExpirationSeconds !== undefined && { clientCertExpirationSeconds }),
      ...(annotations && { annotations }),
      ...(external && { external }),
    },
  };
}

/** That the cluster is not joined by another name, and what is there already. */
async function checkMember(
  check: Preflight,
  client: KubeClient,
  { clusterName, isJoined }: { readonly clusterName: string; readonly isJoined: boolean },
): Promise<void> {
  await check('this cluster', () => checkNotJoined(client, clusterName));
  await check('residual objects', () => checkResidualObjects(client, isJoined));
  await check('kinds on this cluster', () => checkKinds(client));
}

/** The feature gates that the cluster joined with. */
const gatesOfAgent = (earlier: EarlierJoin | undefined) => {
  const { registrationConfiguration, workConfiguration } = earlier?.klusterlet.spec ?? {};
  return recordedGates(agentComponents, [registrationConfiguration?.featureGates, workConfiguration?.featureGates]);
};

const withFlags = (settings: ProgramSettings, flags: Readonly<Record<string, string>>): ProgramSettings => ({
  ...settings,
  flags: { ...settings.flags, ...flags },
});

/** What was found out before something is installed. */
export interface Prepared {
  readonly hub: HubReach;
  readonly values: AgentValues;
  readonly cluster: ManagedCluster | undefined;
}
