import type {
  CertificateSigningRequest,
  ClusterRoleBinding,
  ConfigMap,
  Lease,
  MutatingWebhookConfiguration,
  Namespace,
  Node,
  PriorityClass,
  RoleBinding,
  Secret,
  ServiceAccount,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '@flotilla/kube/kinds';
import { type Cell, nameOf, type RowPrinter, row } from '../cell.ts';
import { humanDuration } from '../human-duration.ts';

const countOf = (map: object | undefined): number => Object.keys(map ?? {}).length;

export const namespaceRow: RowPrinter = row<Namespace>(({ status }) => [status?.phase ?? '']);

export const configMapRow: RowPrinter = row<ConfigMap>(({ data, binaryData }) => [countOf(data) + countOf(binaryData)]);

export const secretRow: RowPrinter = row<Secret>(({ type, data }) => [type ?? '', countOf(data)]);

export const serviceAccountRow: RowPrinter = row<ServiceAccount>(() => []);

export const leaseRow: RowPrinter = row<Lease>(({ spec }) => [spec?.holderIdentity ?? '']);

export const webhooksRow: RowPrinter = row<MutatingWebhookConfiguration | ValidatingWebhookConfiguration>(
  ({ webhooks }) => [webhooks?.length ?? 0],
);

export const admissionPolicyRow: RowPrinter = row<ValidatingAdmissionPolicy>(({ spec }) => {
  const { validations = [], paramKind } = spec ?? {};
  return [validations.length, paramKind ? `${paramKind.apiVersion ?? ''}/${paramKind.kind ?? ''}` : '<unset>'];
});

export const admissionPolicyBindingRow: RowPrinter = row<ValidatingAdmissionPolicyBinding>(({ spec }) => [
  spec?.policyName ?? '',
  spec?.paramRef ? shownParamRef(spec.paramRef) : '<unset>',
]);

type ParamRef = NonNullable<NonNullable<ValidatingAdmissionPolicyBinding['spec']>['paramRef']>;

/** A selector is shown as Go prints the structure. */
function shownParamRef({ name, namespace, selector }: ParamRef): string {
  if (name) return `${namespace || '*'}/${name}`;
  if (!selector) return '<unset>';
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}: ${value},`);
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.sort().join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}

export const priorityClassRow: RowPrinter = row<PriorityClass>(
  ({ value, globalDefault }) => [value ?? 0, globalDefault ?? false],
  ({ preemptionPolicy }) => [preemptionPolicy ?? ''],
);

function bindingSubjects({ subjects = [] }: Pick<RoleBinding, 'subjects'>): Cell[] {
  const named = (kind: string): string[] =>
    subjects
      .filter((subject) => subject.kind === kind)
      .map(({ name, namespace }) => (kind === 'ServiceAccount' ? `${namespace ?? ''}/${name}` : name));
  return [named('User').join(', '), named('Group').join(', '), named('ServiceAccount').join(', ')];
}

export const bindingRow: RowPrinter = row<RoleBinding | ClusterRoleBinding>(
  ({ roleRef }) => [`${roleRef?.kind ?? ''}/${roleRef?.name ?? ''}`],
  bindingSubjects,
);

/** The age stands in the middle of this one. */
export const certificateSigningRequestRow: RowPrinter = (object, ages) => {
  const { spec, status, metadata } = object as CertificateSigningRequest;
  const seconds = spec?.expirationSeconds;
  return [
    nameOf(object),
    ages.since(metadata?.creationTimestamp),
    spec?.signerName || '<none>',
    spec?.username ?? '',
    seconds === undefined ? '<none>' : humanDuration(seconds * 1000),
    requestState(status),
  ];
};

function requestState(status: CertificateSigningRequest['status']): string {
  const has = (wanted: string): boolean => status?.conditions?.some(({ type }) => type === wanted) ?? false;
  const decided = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return `${decided}${has('Failed') ? ',Failed' : ''}${status?.certificate ? ',Issued' : ''}`;
}

/** The age stands before the version here. */
export const nodeRow: RowPrinter = (object, ages) => {
  const node = object as Node;
  const { kernelVersion, osImage, containerRuntimeVersion, architecture, kubeletVersion } = node.status?.nodeInfo ?? {};
  const kernel = kernelVersion || '<unknown>';
  return [
    nameOf(object),
    nodeState(node),
    nodeRoles(node) || '<none>',
    ages.since(node.metadata?.creationTimestamp),
    kubeletVersion ?? '',
    addressOf(node, 'InternalIP'),
    addressOf(node, 'ExternalIP'),
    osImage || '<unknown>',
    architecture ? `${kernel} (${architecture})` : kernel,
    containerRuntimeVersion || '<unknown>',
  ];
};

function nodeState({ spec, status }: Node): string {
  const ready = status?.conditions?.findLast(({ type }) => type === 'Ready');
  const state = ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown';
  return spec?.unschedulable ? `${state},SchedulingDisabled` : state;
}

function nodeRoles({ metadata }: Node): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.entries(metadata?.labels ?? {}).flatMap(([key, value]) =>
    key.startsWith(prefix) ? key.slice(prefix.length) : key === 'kubernetes.io/role' ? value : '',
  );
  return [...new Set(roles.filter((role) => role !== ''))].sort().join(',');
}

const addressOf = ({ status }: Node, wanted: string): string =>
  status?.addresses?.find(({ type }) => type === wanted)?.address ?? '<none>';
