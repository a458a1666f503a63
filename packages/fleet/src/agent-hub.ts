import {
  clusterManagementAddOns,
  ManagedClusterAddOnCondition,
  managedClusterAddOns,
  SecretName,
} from '@flotilla/api-types';
import { type Clock, createKubeClient, isConditionTrue, type KubeClient, secretAccess } from '@flotilla/kube';
import { secrets } from '@flotilla/kube/kinds';
import { of } from 'rxjs';
import { until } from './until.ts';

/** Where an agent is. */
interface AgentPlace {
  readonly hub: KubeClient;
  readonly managed: KubeClient;
  readonly cluster: string;
  readonly addon: string;
  readonly clock: Clock;
}

/** The hub as the agent of an add-on reaches it: with the credentials of the Secret that is mounted in its pod, and their rights. */
export async function openAgentHub({ hub, managed, cluster, addon, clock }: AgentPlace): Promise<KubeClient> {
  await requireEnabled({ hub, cluster, addon });
  const { status } = await until(
    hub.resource(managedClusterAddOns),
    `${cluster}/${addon}`,
    (object) =>
      object.status?.namespace !== undefined &&
      isConditionTrue(object.status.conditions, ManagedClusterAddOnCondition.RegistrationApplied),
  );
  if (!status?.registrations?.some(({ type }) => type === 'kubeClient')) {
    const fix = 'add kubeClient() to registration in its definition';
    throw new Error(`the agent of add-on ${addon} has no access to the hub: ${fix}`);
  }
  const key = `${status?.namespace}/${SecretName.AddOnHubKubeconfig.of({ addOn: addon })}`;
  const { data } = await until(managed.resource(secrets), key, (secret) => secret.data?.kubeconfig !== undefined);
  const access = secretAccess({ data: of(data), origin: `Secret ${key} of ${cluster}`, clock });
  return createKubeClient({ access, clock, fieldManager: `${addon}-agent` });
}

/** Waiting helps only where a placement may still enable the add-on. */
async function requireEnabled({ hub, cluster, addon }: Pick<AgentPlace, 'hub' | 'cluster' | 'addon'>): Promise<void> {
  if (await hub.resource(managedClusterAddOns).find(`${cluster}/${addon}`)) return;
  const { items } = await hub.resource(clusterManagementAddOns).list();
  const offered = items.find(({ metadata }) => metadata?.name === addon);
  if (!offered) {
    const names = items.map(({ metadata }) => metadata?.name).join(', ') || 'none';
    throw new Error(`the hub offers no add-on ${addon}; it offers ${names}`);
  }
  if (offered.spec?.installStrategy?.type === 'Placements') return;
  throw new Error(`add-on ${addon} is not enabled on ${cluster}: call fleet.enable('${addon}') first`);
}
