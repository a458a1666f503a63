import { type Klusterlet, NamespaceName, SecretName } from '@flotilla/api-types';
import { listKlusterlets } from '@flotilla/install';
import type { Clock, KubeClient } from '@flotilla/kube';
import { secrets } from '@flotilla/kube/kinds';
import { joinRecordKey, readJoinRecord } from '@flotilla/registration-core/agent';
import { registrationDriver } from '../drivers/registration-drivers.ts';
import { type EarlierReach, readReach } from '../hub-access/earlier-reach.ts';

/** What an earlier `join` under the same name left on a cluster. */
export interface EarlierJoin {
  readonly klusterlet: Klusterlet;
  /** The hub that the agent has credentials for, if they have not ended. */
  readonly server?: string;
  /** How its agent reaches the hub for the first time. */
  readonly reach: EarlierReach;
  /** The agent saw that the hub removed the cluster. */
  readonly isRemoved: boolean;
}

/** Where the Secrets of the agent of a Klusterlet are. */
const namespaceOf = ({ metadata, spec }: Klusterlet): string | undefined =>
  spec?.deployOption?.mode?.endsWith('Hosted') ? metadata?.name : (spec?.namespace ?? NamespaceName.Agent);

/** Where the agent of a Klusterlet keeps its credentials. */
const secretKeyOf = (klusterlet: Klusterlet): string => `${namespaceOf(klusterlet)}/${SecretName.HubKubeconfig}`;

/** Finds an earlier join; undefined if there was none. */
export async function findEarlierJoin(
  client: KubeClient,
  clusterName: string,
  clock: Clock,
): Promise<EarlierJoin | undefined> {
  const klusterlet = (await listKlusterlets(client)).find(({ spec }) => spec?.clusterName === clusterName);
  if (!klusterlet) return undefined;
  const bootstrapKey = `${namespaceOf(klusterlet)}/${SecretName.BootstrapHubKubeconfig}`;
  const reach = readReach((await client.resource(secrets).find(bootstrapKey))?.data);
  const { data = {} } = (await client.resource(secrets).find(secretKeyOf(klusterlet))) ?? {};
  const stored = Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  );
  const { join } = registrationDriver(klusterlet.spec?.registrationConfiguration?.registrationDriver?.authType);
  const server = join.hasCredentials(stored, clock.now()) ? join.serverOf(stored) : undefined;
  const record = readJoinRecord({ [joinRecordKey]: stored[joinRecordKey] ?? '' }, clusterName);
  return { klusterlet, reach, isRemoved: record?.removed ?? false, ...(server !== undefined && { server }) };
}

/** Lets the agent ask a hub that has removed the cluster: it does so as if it had never joined. */
export async function forgetEarlierJoin(client: KubeClient, klusterlet: Klusterlet): Promise<void> {
  const secretKey = secretKeyOf(klusterlet);
  const handle = client.resource(secrets);
  if (!(await handle.find(secretKey))?.data?.[joinRecordKey]) return;
  await handle.patch(secretKey, { type: 'merge', body: { data: { [joinRecordKey]: null } } });
}
