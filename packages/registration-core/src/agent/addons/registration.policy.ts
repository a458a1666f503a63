import {
  type AddOnRegistration,
  AddOnRegistrationDriverName,
  Annotation,
  addOnTemplates,
  type ManagedClusterAddOn,
  NamespaceName,
  SecretName,
} from '@flotilla/api-types';
import { semanticEqual } from '@flotilla/kube/meta';
import type { AddonRegistration, AddonSubject } from '../../contract/index.ts';

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

/** Whether the agent of an add-on runs outside of the managed cluster. Templates are deployed on it, whatever the annotation says. */
export const isHosted = ({ metadata, status }: ManagedClusterAddOn): boolean =>
  !!metadata?.annotations?.[Annotation.HostingClusterName] && !(status?.configReferences ?? []).some(isTemplate);

const isTemplate = ({ group, resource }: { readonly group?: string; readonly resource: string }): boolean =>
  group === addOnTemplates.group && resource === addOnTemplates.plural;

/** The registrations with the auth type and the subject by which this cluster serves them; undefined if the status has them already. */
export function withDriver(
  addon: ManagedClusterAddOn,
  { auth, statusAuth }: { readonly auth: string; readonly statusAuth: string },
  subjectOf: (registration: AddonRegistration) => AddonSubject | undefined,
): AddOnRegistration[] | undefined {
  const registrations = addon.status?.registrations ?? [];
  const index = registrations.findIndex(({ type }) => type === 'kubeClient');
  const current = registrations[index];
  if (!current || !isAuth(statusAuth)) return undefined;
  const { subject: written, driver, ...others } = current.kubeClient ?? {};
  const registration = registrationOf(
    addon.metadata?.name ?? '',
    { ...current, kubeClient: { subject: written } },
    auth,
  );
  const own = registration && subjectOf(registration);
  // What another auth type wrote is not who the add-on is with this one; the hub writes anew what the add-on declares.
  const subject = own ? withoutEmpty(own) : driver && driver !== statusAuth ? undefined : written;
  const next = { ...current, kubeClient: { ...others, driver: statusAuth, ...(subject && { subject }) } };
  return semanticEqual(current, next) ? undefined : registrations.with(index, next);
}

type KubeClientAuth = NonNullable<NonNullable<AddOnRegistration['kubeClient']>['driver']>;

/** Whether the API has a word for an auth type. */
const isAuth = (auth: string): auth is KubeClientAuth =>
  Object.values<string>(AddOnRegistrationDriverName).includes(auth);

const withoutEmpty = ({ user, groups }: AddonSubject) => ({ user, ...(groups.length > 0 && { groups: [...groups] }) });

/** What an add-on asks for, with access to the hub's API by this auth type; what is incomplete or unknown is left out. */
export function registrationConfigs(addon: ManagedClusterAddOn, auth: string): RegistrationConfig[] {
  const addonName = addon.metadata?.name ?? '';
  const namespace = installNamespaceOf(addon);
  const hosted = isHosted(addon);
  return (addon.status?.registrations ?? []).flatMap((entry) => {
    const registration = registrationOf(addonName, entry, auth);
    if (!registration) return [];
    const secretName = secretNameOf(registration);
    const id = JSON.stringify([registration, namespace, hosted]);
    return [{ id, registration, namespace, secretName, isHosted: hosted }];
  });
}

function registrationOf(addonName: string, entry: AddOnRegistration, auth: string): AddonRegistration | undefined {
  if (entry.type === 'kubeClient' && entry.kubeClient) {
    const { user = '', groups = [] } = entry.kubeClient.subject ?? {};
    return { type: 'kubeClient', driver: auth, addonName, user, groups };
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
