import {
  type AddOnRegistration,
  AddOnRegistrationDriverName,
  Annotation,
  type ManagedClusterAddOn,
  NamespaceName,
  SecretName,
} from '@flotilla/api-types';
import type { AddonRegistration } from '../../contract/index.ts';

/** One credential that an add-on needs, and where it goes. */
export interface RegistrationConfig {
  /** Equal for equal configs: what is running is left alone while this stays. */
  readonly id: string;
  readonly registration: AddonRegistration;
  readonly namespace: string;
  readonly secretName: string;
  /** The agent of the add-on runs on the management cluster. */
  readonly isHosted: boolean;
}

/** Where the agent of an add-on, its lease and its secrets are. */
export const installNamespaceOf = ({ metadata, status }: ManagedClusterAddOn): string =>
  status?.namespace || metadata?.annotations?.[Annotation.LegacyInstallNamespace] || NamespaceName.AgentAddOn;

/** Whether the agent of an add-on runs outside of the managed cluster. */
export const isHosted = ({ metadata }: ManagedClusterAddOn): boolean =>
  !!metadata?.annotations?.[Annotation.HostingClusterName];

/** The registrations with the driver that this cluster uses for them; undefined if the status says so already. */
export function withDriver(addon: ManagedClusterAddOn): AddOnRegistration[] | undefined {
  const registrations = addon.status?.registrations ?? [];
  const index = registrations.findIndex(({ type }) => type === 'kubeClient');
  const registration = registrations[index];
  const driver = AddOnRegistrationDriverName.Csr;
  if (!registration || registration.kubeClient?.driver === driver) return undefined;
  return registrations.with(index, { ...registration, kubeClient: { ...registration.kubeClient, driver } });
}

/** What an add-on asks for; what is incomplete or unknown is left out. */
export function registrationConfigs(addon: ManagedClusterAddOn): RegistrationConfig[] {
  const addonName = addon.metadata?.name ?? '';
  const namespace = installNamespaceOf(addon);
  const hosted = isHosted(addon);
  return (addon.status?.registrations ?? []).flatMap((entry) => {
    const registration = registrationOf(addonName, entry);
    if (!registration) return [];
    const secretName = secretNameOf(registration);
    const id = JSON.stringify([registration, namespace, hosted]);
    return [{ id, registration, namespace, secretName, isHosted: hosted }];
  });
}

function registrationOf(addonName: string, entry: AddOnRegistration): AddonRegistration | undefined {
  if (entry.type === 'kubeClient' && entry.kubeClient) {
    const { user = '', groups = [] } = entry.kubeClient.subject ?? {};
    return { type: 'kubeClient', addonName, user, groups };
  }
  if (entry.type === 'customSigner' && entry.customSigner?.signerName) {
    const { signerName, subject } = entry.customSigner;
    const { user = '', groups = [], organizationUnits = [] } = subject ?? {};
    return { type: 'customSigner', addonName, signerName, user, groups, organizationUnits };
  }
  return undefined;
}

/** The Secret of a registration. */
const secretNameOf = (registration: AddonRegistration): string =>
  registration.type === 'kubeClient'
    ? SecretName.AddOnHubKubeconfig.of({ addOn: registration.addonName })
    : `${registration.addonName}-${registration.signerName.replaceAll('/', '-')}-client-cert`;
