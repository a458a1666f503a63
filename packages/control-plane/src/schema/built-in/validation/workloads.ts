import { isDeepStrictEqual } from 'node:util';
import type { Json } from '@flotilla/schema';
import type { Field } from '../../field.ts';
import { validateLabelSelector } from '../../metadata.ts';
import { dnsLabel } from '../../names.ts';
import { validateClaimSpec } from './claims.ts';
import { validatePodTemplate } from './pod.ts';
import { saysNothing, selects } from './selector.ts';

/** The selector of a workload, its template, and that the one selects what the other makes. */
function validateSelected(spec: Field, kind: string, owner: string): void {
  const selector = spec.at('selector');
  let errors = 0;
  if (selector.present) {
    const counted = selector.observed(() => errors++);
    validateLabelSelector(counted);
    if (errors > 0 && kind !== 'daemonset') {
      // What cannot be read selects nothing that could be compared.
      selector.invalid(kind === 'statefulset' ? '' : 'invalid label selector');
      if (kind === 'statefulset') validateEndlessRules(spec, owner);
      return;
    }
    if (saysNothing(selector)) selector.invalid(`empty selector is invalid for ${kind}`);
  } else if (kind !== 'daemonset') selector.required();
  const labels = spec.at('template').at('metadata').at('labels');
  const isMissed = !selector.present || (!saysNothing(selector) && !selects(selector, labels.fields));
  if (isMissed && errors === 0) labels.invalid('`selector` does not match template `labels`');
  validatePodTemplate(spec.at('template'));
  validateEndlessRules(spec, owner);
}

/** Something that runs for ever has pods that do. */
export function validateEndlessRules(spec: Field, owner: string): void {
  const podSpec = spec.at('template').at('spec');
  if (podSpec.at('restartPolicy').text !== 'Always') podSpec.at('restartPolicy').notSupported(['Always']);
  if (podSpec.at('activeDeadlineSeconds').present) {
    podSpec.at('activeDeadlineSeconds').forbidden(`activeDeadlineSeconds in ${owner} is not Supported`);
  }
}

/** A strategy as the server shows it: by the names of its Go fields. */
const shownStrategy = (strategy: Field): Json => ({
  Type: strategy.at('type').text,
  RollingUpdate: strategy.at('rollingUpdate').value ?? null,
});

const percent = /^[0-9]+%$/;

/** `3` or `25%`. */
export function validateCountOrPercent(field: Field): void {
  if (typeof field.value === 'string') {
    if (!percent.test(field.value)) {
      field.invalid(
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      );
    }
  } else field.notNegative();
}

function validateAtMostAll(field: Field): void {
  if (typeof field.value === 'string' && percent.test(field.value) && Number.parseInt(field.value, 10) > 100) {
    field.invalid('must not be greater than 100%');
  }
}

const isNothing = (field: Field): boolean => field.value === 0 || field.value === '0%' || !field.present;

export function validateDeployment(deployment: Field, old?: Field): void {
  const spec = deployment.at('spec');
  spec.at('replicas').notNegative();
  validateSelected(spec, 'deployment', 'ReplicaSet');
  validateDeploymentStrategy(spec.at('strategy'));
  spec.at('minReadySeconds').notNegative();
  spec.at('revisionHistoryLimit').notNegative();
  const deadline = spec.at('progressDeadlineSeconds');
  deadline.notNegative();
  if (deadline.present && deadline.number <= spec.at('minReadySeconds').number) {
    deadline.invalid('must be greater than minReadySeconds');
  }
  if (old) spec.at('selector').immutable(old.at('spec').at('selector'));
  validateCounts(deployment.at('status'), ['updatedReplicas', 'readyReplicas', 'availableReplicas']);
}

/** No part of the replicas is more than all of them. */
export function validateCounts(status: Field, parts: readonly string[]): void {
  for (const name of ['replicas', ...parts]) status.at(name).notNegative();
  for (const name of parts) {
    if (status.at(name).number > status.at('replicas').number) {
      status.at(name).invalid('cannot be greater than status.replicas');
    }
  }
}

function validateDeploymentStrategy(strategy: Field): void {
  const type = strategy.at('type').text;
  const rolling = strategy.at('rollingUpdate');
  if (type === 'Recreate') {
    if (rolling.present) rolling.forbidden("may not be specified when strategy `type` is 'Recreate'");
  } else if (type === 'RollingUpdate') {
    validateCountOrPercent(rolling.at('maxUnavailable'));
    validateCountOrPercent(rolling.at('maxSurge'));
    if (isNothing(rolling.at('maxUnavailable')) && isNothing(rolling.at('maxSurge'))) {
      rolling.at('maxUnavailable').invalid('may not be 0 when `maxSurge` is 0');
    }
    validateAtMostAll(rolling.at('maxUnavailable'));
  } else strategy.notSupported(['Recreate', 'RollingUpdate'], shownStrategy(strategy));
}

export function validateReplicaSet(replicaSet: Field, old?: Field): void {
  const spec = replicaSet.at('spec');
  spec.at('replicas').notNegative();
  spec.at('minReadySeconds').notNegative();
  validateSelected(spec, 'deployment', 'ReplicaSet');
  if (old) spec.at('selector').immutable(old.at('spec').at('selector'));
  validateCounts(replicaSet.at('status'), ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas']);
}

export function validateDaemonSet(daemonSet: Field, old?: Field): void {
  const spec = daemonSet.at('spec');
  if (old) spec.at('selector').immutable(old.at('spec').at('selector'));
  validateSelected(spec, 'daemonset', 'DaemonSet');
  spec.at('minReadySeconds').notNegative();
  const strategy = spec.at('updateStrategy');
  const rolling = strategy.at('rollingUpdate');
  if (strategy.at('type').text === 'RollingUpdate') {
    for (const name of ['maxUnavailable', 'maxSurge']) validateCountOrPercent(rolling.at(name));
    for (const name of ['maxUnavailable', 'maxSurge']) validateAtMostAll(rolling.at(name));
    if (!isNothing(rolling.at('maxUnavailable')) && !isNothing(rolling.at('maxSurge'))) {
      rolling.at('maxSurge').invalid('may not be set when maxUnavailable is non-zero');
    } else if (isNothing(rolling.at('maxUnavailable')) && isNothing(rolling.at('maxSurge'))) {
      rolling.at('maxUnavailable').required('cannot be 0 when maxSurge is 0');
    }
  } else if (strategy.at('type').text !== 'OnDelete') {
    strategy.notSupported(['RollingUpdate', 'OnDelete'], shownStrategy(strategy));
  }
  spec.at('revisionHistoryLimit').notNegative();
}

const changeableOfStatefulSet = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

export function validateStatefulSet(statefulSet: Field, old?: Field): void {
  const spec = statefulSet.at('spec');
  const policy = spec.at('podManagementPolicy');
  if (policy.text !== 'OrderedReady' && policy.text !== 'Parallel') {
    policy.invalid("must be 'OrderedReady' or 'Parallel'");
  }
  const strategy = spec.at('updateStrategy');
  if (strategy.at('type').text === 'OnDelete') {
    if (strategy.at('rollingUpdate').present) {
      strategy.at('rollingUpdate').invalid("only allowed for updateStrategy 'RollingUpdate'");
    }
  } else if (strategy.at('type').text === 'RollingUpdate') {
    strategy.at('rollingUpdate').at('partition').notNegative();
  } else strategy.invalid("must be 'RollingUpdate' or 'OnDelete'", shownStrategy(strategy));
  for (const when of ['whenDeleted', 'whenScaled']) {
    const retention = spec.at('persistentVolumeClaimRetentionPolicy').at(when);
    if (retention.text !== 'Retain' && retention.text !== 'Delete') retention.notSupported(['Retain', 'Delete']);
  }
  for (const claim of spec.at('volumeClaimTemplates').items()) validateClaimSpec(claim.at('spec'));
  spec.at('replicas').notNegative();
  spec.at('minReadySeconds').notNegative();
  if (spec.at('serviceName').text !== '' && !old) spec.at('serviceName').check(dnsLabel);
  validateSelected(spec, 'statefulset', 'StatefulSet');
  validateCounts(statefulSet.at('status'), ['readyReplicas', 'currentReplicas', 'updatedReplicas']);
  if (old) validateStatefulSetUpdate(spec, old.at('spec'));
}

function validateStatefulSetUpdate(spec: Field, old: Field): void {
  const fixed = (field: Field) =>
    Object.entries(field.fields)
      .filter(([name]) => !changeableOfStatefulSet.includes(name))
      .sort();
  if (isDeepStrictEqual(fixed(spec), fixed(old))) return;
  const names = changeableOfStatefulSet.map((name) => `'${name}'`);
  const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  spec.forbidden(`updates to statefulset spec for fields other than ${list} are forbidden`);
}

export function validateControllerRevision(revision: Field, old?: Field): void {
  revision.at('revision').notNegative();
  const data = revision.at('data');
  if (!data.present) data.required('data is mandatory');
  if (old) data.immutable(old.at('data'));
}
