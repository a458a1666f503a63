import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@flotilla/schema';
import type { Field } from '../../field.ts';
import { validateAnnotations, validateLabels } from '../../metadata.ts';
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from '../../names.ts';
import { validateAffinity } from './affinity.ts';
import { validateContainers, validateGates, validateSecurityContext } from './containers.ts';
import { validateHostNames, validateSpread } from './placement.ts';
import { validateVolumes } from './volumes.ts';

const restartPolicies = ['Always', 'Never', 'OnFailure'];
const dnsPolicies = ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'];

/** The template of a workload: labels, annotations and the pod. */
export function validatePodTemplate(template: Field): void {
  validateLabels(template.at('metadata').at('labels'));
  validateAnnotations(template.at('metadata').at('annotations'));
  validatePodSpec(template.at('spec'), false);
}

function validatePodSpec(spec: Field, isPod: boolean): void {
  const volumes = validateVolumes(spec.at('volumes'));
  validateContainers(spec, volumes);
  if (spec.at('hostNetwork').flag) validateHostPorts(spec, isPod);
  const restarts = spec.at('restartPolicy');
  if (!restartPolicies.includes(restarts.text)) restarts.notSupported(['Always', 'OnFailure', 'Never'], restarts.text);
  const dns = spec.at('dnsPolicy');
  if (!dnsPolicies.includes(dns.text)) {
    dns.notSupported(['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'], dns.text);
  }
  validateLabels(spec.at('nodeSelector'));
  validateSecurityContext(spec.at('securityContext'));
  for (const secret of spec.at('imagePullSecrets').items()) {
    if (secret.at('name').text === '') secret.at('name').required();
  }
  validateAffinity(spec.at('affinity'));
  validateGates(spec);
  for (const name of ['serviceAccountName', 'nodeName', 'priorityClassName', 'runtimeClassName']) {
    if (spec.at(name).text !== '') spec.at(name).check(dnsSubdomain);
  }
  const deadline = spec.at('activeDeadlineSeconds');
  if (deadline.present && (deadline.number < 1 || deadline.number > 2 ** 31 - 1)) {
    deadline.invalid(`must be between 1 and ${2 ** 31 - 1}, inclusive`);
  }
  for (const name of ['hostname', 'subdomain']) if (spec.at(name).text !== '') spec.at(name).check(dnsLabel);
  validateTolerations(spec.at('tolerations'));
  validateSpread(spec.at('topologySpreadConstraints'));
  validateHostNames(spec);
}

function validateHostPorts(spec: Field, isPod: boolean): void {
  for (const container of spec.at('containers').items()) {
    for (const port of container.at('ports').items()) {
      const host = port.at('hostPort');
      if ((isPod || host.number !== 0) && host.number !== port.at('containerPort').number) {
        host.invalid('must match `containerPort` when `hostNetwork` is true', host.number);
      }
    }
  }
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function validateTolerations(tolerations: Field): void {
  for (const toleration of tolerations.items()) validateToleration(toleration);
}

function validateToleration(toleration: Field): void {
  const key = toleration.at('key');
  const operator = toleration.at('operator');
  const value = toleration.at('value').text;
  const effect = toleration.at('effect');
  if (key.text !== '') key.check(qualifiedName);
  else if (operator.text !== 'Exists') {
    operator.invalid(
      'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      operator.text,
    );
  }
  if (toleration.at('tolerationSeconds').present && effect.text !== 'NoExecute') {
    effect.invalid("effect must be 'NoExecute' when `tolerationSeconds` is set", effect.text);
  }
  if (operator.text === 'Exists') {
    if (value !== '') operator.invalid("value must be empty when `operator` is 'Exists'", value);
  } else if (operator.text === 'Equal' || operator.text === '') {
    const errors = labelValue(value);
    if (errors.length > 0) operator.invalid(errors.join(';'), value);
  } else operator.notSupported(['Equal', 'Exists']);
  if (effect.text !== '' && !effects.includes(effect.text)) effect.notSupported(effects);
}

/** What of a pod may change once it is created. */
const changeable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

export function validatePod(pod: Field, old?: Field): void {
  const spec = pod.at('spec');
  validatePodSpec(spec, true);
  if (old) validatePodUpdate(spec, old.at('spec'));
}

function validatePodUpdate(spec: Field, old: Field): void {
  for (const list of ['containers', 'initContainers']) {
    if (spec.at(list).list.length !== old.at(list).list.length) {
      spec.at(list).forbidden('pod updates may not add or remove containers');
      return;
    }
  }
  const kept = old.at('tolerations').list;
  const tolerations = spec.at('tolerations');
  if (!kept.every((one) => tolerations.list.some((other) => isDeepStrictEqual(one, other)))) {
    tolerations.forbidden('existing toleration can not be modified except its tolerationSeconds');
  }
  if (isDeepStrictEqual(fixedPart(spec), fixedPart(old))) return;
  spec.forbidden(`pod updates may not change fields other than ${changeable.join(',')}`);
}

/** The spec without what may change. */
function fixedPart(spec: Field): JsonObject {
  const { activeDeadlineSeconds: _, tolerations: __, schedulingGates: ___, ...rest } = spec.fields;
  const withoutImages = (name: string) =>
    spec
      .at(name)
      .items()
      .map(({ fields: { image: ____, ...container } }) => container);
  return { ...rest, containers: withoutImages('containers'), initContainers: withoutImages('initContainers') };
}
