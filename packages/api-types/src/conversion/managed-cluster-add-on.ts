import type { ObjectMeta } from '@flotilla/schema';
import type { AddOnRegistration, ManagedClusterAddOn } from '../kinds/addon/managed-cluster-add-on.ts';
import type { ManagedClusterAddOnV1alpha1 } from '../kinds/addon/managed-cluster-add-on.v1alpha1.ts';
import { Annotation } from '../names/annotations.ts';
import { Signer } from '../names/signers.ts';

type Status = NonNullable<ManagedClusterAddOn['status']>;
type StatusV1alpha1 = NonNullable<ManagedClusterAddOnV1alpha1['status']>;
type RegistrationV1alpha1 = NonNullable<StatusV1alpha1['registrations']>[number];
type Driver = StatusV1alpha1['kubeClientDriver'];

/** v1alpha1 → v1beta1. Fields without a counterpart are dropped: addOnConfiguration, organization units of hub clients. */
export function toManagedClusterAddOn(old: ManagedClusterAddOnV1alpha1): ManagedClusterAddOn {
  const { spec = {}, status, metadata, ...rest } = old;
  const { installNamespace, ...kept } = spec;
  return {
    ...rest,
    metadata: installNamespace ? withInstallNamespace(metadata ?? {}, installNamespace) : metadata,
    spec: kept,
    ...(status && { status: statusOf(status) }),
  };
}

/** v1beta1 → v1alpha1. */
export function toManagedClusterAddOnV1alpha1(addOn: ManagedClusterAddOn): ManagedClusterAddOnV1alpha1 {
  const { spec = {}, status, metadata, ...rest } = addOn;
  const { [Annotation.LegacyInstallNamespace]: installNamespace, ...annotations } = metadata?.annotations ?? {};
  return {
    ...rest,
    metadata: installNamespace === undefined ? metadata : { ...metadata, annotations },
    spec: installNamespace ? { ...spec, installNamespace } : spec,
    ...(status && { status: statusV1alpha1Of(status) }),
  };
}

const withInstallNamespace = (metadata: ObjectMeta, installNamespace: string): ObjectMeta => ({
  ...metadata,
  annotations: { ...metadata.annotations, [Annotation.LegacyInstallNamespace]: installNamespace },
});

function statusOf(old: StatusV1alpha1): Status {
  const { addOnConfiguration: _, configReferences, registrations, kubeClientDriver, ...rest } = old;
  return {
    ...rest,
    ...(configReferences && {
      configReferences: configReferences.map(({ name: _name, namespace: _namespace, ...reference }) => reference),
    }),
    ...(registrations && { registrations: registrations.map((one) => registrationOf(one, kubeClientDriver)) }),
  };
}

function registrationOf({ signerName, subject }: RegistrationV1alpha1, driver: Driver): AddOnRegistration {
  const { organizationUnit: organizationUnits, ...who } = subject ?? {};
  if (signerName === Signer.KubeApiServerClient) {
    return { type: 'kubeClient', kubeClient: { ...(subject && { subject: who }), ...(driver && { driver }) } };
  }
  const named = subject && { subject: { ...who, ...(organizationUnits && { organizationUnits }) } };
  return { type: 'customSigner', customSigner: { signerName, ...named } };
}

function statusV1alpha1Of(status: Status): StatusV1alpha1 {
  const { configReferences, registrations, ...rest } = status;
  const kubeClientDriver = registrations?.find(({ type, kubeClient }) => type === 'kubeClient' && kubeClient)
    ?.kubeClient?.driver;
  return {
    ...rest,
    ...(configReferences && {
      configReferences: configReferences.map((reference) => {
        const { name = '', namespace } = reference.desiredConfig ?? {};
        return { ...reference, name, ...(namespace !== undefined && { namespace }) };
      }),
    }),
    ...(registrations && { registrations: registrations.map(registrationV1alpha1Of) }),
    ...(kubeClientDriver && { kubeClientDriver }),
  };
}

function registrationV1alpha1Of({ type, kubeClient, customSigner }: AddOnRegistration): RegistrationV1alpha1 {
  if (type === 'kubeClient') {
    return { signerName: Signer.KubeApiServerClient, ...(kubeClient?.subject && { subject: kubeClient.subject }) };
  }
  const { signerName = '', subject } = customSigner ?? {};
  const { organizationUnits: organizationUnit, ...who } = subject ?? {};
  return { signerName, ...(subject && { subject: { ...who, ...(organizationUnit && { organizationUnit }) } }) };
}
