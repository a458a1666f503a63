import { Annotation } from '@flotilla/api-types';
import type { ObjectMeta } from '@flotilla/schema';
import { isRecord } from '@flotilla/schema';
import type { Manifest } from '../../manifest.ts';
import { bindingForm, definitionForm, secretForm, webhooksForm } from './forms.ts';
import { csiDriverSpecHash, serviceSpecHash } from './go-json.ts';
import { recreatedFor, ruleOfFields, sameField, type UpdateRule } from './rule.ts';

const metadataOnly = ruleOfFields([]);
const specOnly = ruleOfFields(['spec']);

const annotated = (manifest: Manifest, key: string, value: string): Manifest => ({
  ...manifest,
  metadata: { ...manifest.metadata, annotations: { ...manifest.metadata?.annotations, [key]: value } },
});

/** OpenShift writes certificates into config maps with this annotation. */
function configMapForm(required: Manifest, live: Manifest): Manifest {
  const { labels, annotations }: ObjectMeta = required.metadata ?? {};
  const injected = [
    ...(labels?.['config.openshift.io/inject-trusted-cabundle'] === 'true' ? ['ca-bundle.crt'] : []),
    ...(annotations?.['service.beta.openshift.io/inject-cabundle'] === 'true' ? ['service-ca.crt'] : []),
  ];
  const liveData = isRecord(live.data) ? live.data : {};
  const kept = Object.fromEntries(injected.flatMap((key) => (key in liveData ? [[key, liveData[key]]] : [])));
  if (Object.keys(kept).length === 0) return required;
  return { ...required, data: { ...(isRecord(required.data) ? required.data : {}), ...kept } };
}

/** What a Service is created and updated with: OCM's agent finds changes of its spec by this annotation. */
const serviceForm = (required: Manifest): Manifest =>
  annotated(required, Annotation.SpecHash, serviceSpecHash(required.spec));

const csiDriverForm = (required: Manifest): Manifest =>
  annotated(required, Annotation.SpecHash, csiDriverSpecHash(required.spec));

const serviceRule: UpdateRule = (given, live) => {
  const required = serviceForm(given);
  const [requiredSpec, liveSpec] = [required.spec, live.spec].map((spec) => (isRecord(spec) ? spec : {}));
  const isSame =
    live.metadata?.annotations?.[Annotation.SpecHash] === required.metadata?.annotations?.[Annotation.SpecHash] &&
    sameField(requiredSpec?.selector, liveSpec?.selector) &&
    (requiredSpec?.type || 'ClusterIP') === (liveSpec?.type || 'ClusterIP');
  return (isSame ? metadataOnly : specOnly)(required, live);
};

const defaultClass = 'storageclass.kubernetes.io/is-default-class';
const storageClassFields = [
  'provisioner',
  'parameters',
  'reclaimPolicy',
  'mountOptions',
  'volumeBindingMode',
  'allowedTopologies',
];

/** Whether a class is the default one is kept once the administrator of the cluster has set it. */
function storageClassForm(required: Manifest, live: Manifest): Manifest {
  const { [defaultClass]: _, ...others } = required.metadata?.annotations ?? {};
  const isDefaultSet = live.metadata?.annotations?.[defaultClass] !== undefined;
  return {
    ...required,
    reclaimPolicy: required.reclaimPolicy ?? 'Delete',
    volumeBindingMode: required.volumeBindingMode ?? 'Immediate',
    ...(isDefaultSet && { metadata: { ...required.metadata, annotations: others } }),
  };
}

/** Rules are computed by the server where roles are aggregated. */
const clusterRoleForm = (required: Manifest, live: Manifest): Manifest =>
  required.aggregationRule === undefined ? required : { ...required, rules: live.rules };

const typeOf = (secret: Manifest): unknown => secret.type || 'Opaque';

const rules: Readonly<Record<string, UpdateRule>> = {
  'v1 Namespace': metadataOnly,
  'v1 Pod': metadataOnly,
  'v1 ServiceAccount': metadataOnly,
  'v1 Service': serviceRule,
  'v1 ConfigMap': ruleOfFields(['data', 'binaryData'], configMapForm),
  'v1 Secret': recreatedFor((required, live) => typeOf(required) !== typeOf(live), ruleOfFields(['data'], secretForm)),
  'rbac.authorization.k8s.io/v1 ClusterRole': ruleOfFields(['rules', 'aggregationRule'], clusterRoleForm),
  'rbac.authorization.k8s.io/v1 Role': ruleOfFields(['rules']),
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding': ruleOfFields(['subjects', 'roleRef'], bindingForm),
  'rbac.authorization.k8s.io/v1 RoleBinding': ruleOfFields(['subjects', 'roleRef'], bindingForm),
  'networking.k8s.io/v1 NetworkPolicy': specOnly,
  'policy/v1 PodDisruptionBudget': specOnly,
  'apiextensions.k8s.io/v1 CustomResourceDefinition': ruleOfFields(['spec'], definitionForm),
  'storage.k8s.io/v1 StorageClass': recreatedFor(
    (required, live) => {
      const form = storageClassForm(required, live);
      return storageClassFields.some((field) => !sameField(form[field], live[field]));
    },
    ruleOfFields(['allowVolumeExpansion'], storageClassForm),
  ),
  'storage.k8s.io/v1 CSIDriver': recreatedFor(
    (required, live) => live.metadata?.annotations?.[Annotation.SpecHash] !== csiDriverSpecHash(required.spec),
    ruleOfFields([], csiDriverForm),
  ),
  'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration': ruleOfFields(['webhooks'], webhooksForm),
  'admissionregistration.k8s.io/v1 MutatingWebhookConfiguration': ruleOfFields(['webhooks'], webhooksForm),
  'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy': specOnly,
  'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding': specOnly,
  'admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicy': specOnly,
  'admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicyBinding': specOnly,
  'monitoring.coreos.com/v1 ServiceMonitor': specOnly,
  'monitoring.coreos.com/v1 PrometheusRule': specOnly,
  'monitoring.coreos.com/v1 Prometheus': specOnly,
  'monitoring.coreos.com/v1 Alertmanager': specOnly,
  'snapshot.storage.k8s.io/v1 VolumeSnapshotClass': ruleOfFields(['driver', 'deletionPolicy', 'parameters']),
};

const creationForms: Readonly<Record<string, (required: Manifest) => Manifest>> = {
  'v1 Service': serviceForm,
  'storage.k8s.io/v1 CSIDriver': csiDriverForm,
};

const nameOf = ({ apiVersion, kind }: Manifest): string => `${apiVersion} ${kind}`;

/** The rule of a kind that has one of its own. */
export const typedRuleOf = (manifest: Manifest): UpdateRule | undefined => rules[nameOf(manifest)];

/** What a manifest of a kind is created as. */
export const creationFormOf = (manifest: Manifest): Manifest =>
  (creationForms[nameOf(manifest)] ?? ((required: Manifest) => required))(manifest);
