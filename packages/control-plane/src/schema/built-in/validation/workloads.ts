import { isDeepStrictEqual } from 'node:util';
import type { Field } from '../../field.ts';
import { validateLabelSelector } from '../../metadata.ts';
import { dnsLabel } from '../../names.ts';
import { validatePodTemplate } from './pod.ts';
import { saysNothing, selects } from './selector.ts';

/** The selector of a workload, and that it selects the pods that the template makes. */
function validateSelector(spec: Field, kind: string): void {
  const selector = spec.at('selector');
  if (!selector.present) {
    // A DaemonSet has no sentence of its own for this: its selector counts as an empty one.
    if (kind === 'daemonset') {
      const labels = spec.at('template').at('metadata').at('labels');
      labels.invalid('`selector` does not match template `labels`');
      return;
    }
    selector.required();
  } else {
    validateLabelSelector(selector);
    if (saysNothing(selector)) selector.invalid(`empty selector is invalid for ${kind}`);
  }
  validateSelected(spec, !selector.present);
}

function validateSelected(spec: Field, selectsNothing: boolean): void {
  const labels = spec.at('template').at('metadata').at('labels');
  const selector = spec.at('selector');
  if (selectsNothing || (!saysNothing(selector) && !selects(selector, labels.fields))) {
    labels.invalid('`selector` does not match template `labels`');
  }
}

/** The template of something that runs for ever. */
function validateEndless(spec: Field, kind: string): void {
  validatePodTemplate(spec.at('template'));
  const podSpec = spec.at('template').at('spec');
  if (podSpec.at('restartPolicy').text !== 'Always') podSpec.at('restartPolicy').notSupported(['Always']);
  if (podSpec.at('activeDeadlineSeconds').present) {
    podSpec.at('activeDeadlineSeconds').forbidden(`activeDeadlineSeconds in ${kind} is not Supported`);
  }
}

const percent = /^[0-9]+%$/;

/** `3` or `25%`. */
export function validateCountOrPercent(field: Field): void {
  if (typeof field.value === 'string') {
    if (!percent.test(field.value)) {
      field.invalid(
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%', or '93%', regex used for validation is '[0-9]+%')",
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
  validateSelector(spec, 'deployment');
  validateEndless(spec, 'ReplicaSet');
  validateDeploymentStrategy(spec.at('strategy'));
  spec.at('minReadySeconds').notNegative();
  spec.at('revisionHistoryLimit').notNegative();
  const deadline = spec.at('progressDeadlineSeconds');
  deadline.notNegative();
  if (deadline.present && deadline.number <= spec.at('minReadySeconds').number) {
    deadline.invalid('must be greater than minReadySeconds');
  }
  if (old) spec.at('selector').immutable(old.at('spec').at('selector'));
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
  } else strategy.notSupported(['Recreate', 'RollingUpdate']);
}

export function validateReplicaSet(replicaSet: Field, old?: Field): void {
  const spec = replicaSet.at('spec');
  spec.at('replicas').notNegative();
  spec.at('minReadySeconds').notNegative();
  validateSelector(spec, 'deployment');
  validateEndless(spec, 'ReplicaSet');
  if (old) spec.at('selector').immutable(old.at('spec').at('selector'));
}

export function validateDaemonSet(daemonSet: Field, old?: Field): void {
  const spec = daemonSet.at('spec');
  if (old) spec.at('selector').immutable(old.at('spec').at('selector'));
  validateSelector(spec, 'daemonset');
  validateEndless(spec, 'DaemonSet');
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
  } else if (strategy.at('type').text !== 'OnDelete') strategy.notSupported(['RollingUpdate', 'OnDelete']);
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
  } else strategy.invalid("must be 'RollingUpdate' or 'OnDelete'");
  for (const when of ['whenDeleted', 'whenScaled']) {
    const retention = spec.at('persistentVolumeClaimRetentionPolicy').at(when);
    if (retention.text !== 'Retain' && retention.text !== 'Delete') retention.notSupported(['Retain', 'Delete']);
  }
  spec.at('replicas').notNegative();
  spec.at('minReadySeconds').notNegative();
  if (spec.at('serviceName').text !== '' && !old) spec.at('serviceName').check(dnsLabel);
  validateSelector(spec, 'statefulset');
  validateEndless(spec, 'StatefulSet');
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
