import { type Klusterlet, type KlusterletSpec, klusterlets, ObjectName } from '@flotilla/api-types';
import { type AgentValues, klusterlet } from '@flotilla/install';
import type { KubeClient } from '@flotilla/kube';
import { type Edit, editOf } from '../cluster/writes.ts';
import { asksForDrivers } from '../drivers/registration-drivers.ts';
import { checkFeatureGates } from '../options/feature-gates.ts';
import { changedAgent } from './changed-agent.ts';
import type { JoinOptions } from './join-options.ts';

/** The components whose gates `join` sets. */
export const agentComponents = ['spoke-registration', 'spoke-work'] as const;

/** What a repeated `join` changes in a Klusterlet, besides the flags that it reads itself. */
interface AgentEdit {
  /** As the flags and the Klusterlet say. */
  readonly agent: AgentValues;
  readonly earlier: Klusterlet;
  readonly fields?: Partial<KlusterletSpec>;
  readonly values?: Readonly<Record<string, unknown>>;
}

const externalOf = (agent: AgentValues): Partial<KlusterletSpec> => {
  const { externalServerURLs } = klusterlet(agent).spec ?? {};
  return externalServerURLs ? { externalServerURLs } : {};
};

/** The edit of a Klusterlet that the flags ask for. */
export function agentEdit(
  client: KubeClient,
  options: JoinOptions,
  { agent, earlier, fields, values }: AgentEdit,
): Edit {
  const { registrationAuth, klusterletAnnotation: annotations, clientCertExpirationSeconds } = options;
  const { registrationDriver, addonDriver, mode } = agent;
  const ofAddons = options.addonKubeclientRegistrationAuth ?? options.addonTokenExpirationSeconds;
  const registration = {
    ...(registrationDriver && asksForDrivers('join', registrationAuth, options) && { registrationDriver }),
    ...(addonDriver && ofAddons !== undefined && { addOnKubeClientRegistrationDriver: addonDriver }),
    ...(clientCertExpirationSeconds !== undefined && { clientCertExpirationSeconds }),
  };
  const changes = {
    mode,
    featureGates: checkFeatureGates(agentComponents, options.featureGates),
    registration,
    ...(annotations && { annotations }),
    // The first time that the cluster publishes an address: later ones may be somebody's choice.
    fields: { ...(!earlier.spec?.externalServerURLs && externalOf(agent)), ...fields },
    ...(values && { values }),
  };
  const name = earlier.metadata?.name ?? ObjectName.Klusterlet;
  return editOf(client.resource(klusterlets), name, (found) => changedAgent(found, changes));
}
