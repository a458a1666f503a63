import { compareQuantities } from '@flotilla/schema';
import type { Field } from '../../field.ts';
import { dnsLabel, pathSegment } from '../../names.ts';
import { validateQuantity } from './resources.ts';

const longestWindow = 3600;
const longestPeriod = 1800;

export function validateAutoscaler(autoscaler: Field, old?: Field): void {
  const spec = autoscaler.at('spec');
  const least = spec.at('minReplicas');
  const most = spec.at('maxReplicas');
  if (least.present && least.number < 1) least.invalid('must be greater than or equal to 1');
  if (most.number === 0) most.required('must be set and greater than 0');
  else if (most.number < 0) most.invalid('must be greater than or equal to 1');
  if (least.present && most.number < least.number) {
    most.invalid('must be greater than or equal to `minReplicas`', most.number);
  }
  const target = spec.at('scaleTargetRef');
  const before = old?.at('spec').at('scaleTargetRef');
  const isOld = before?.at('kind').equals(target.at('kind')) && before.at('apiVersion').equals(target.at('apiVersion'));
  validateReference(target, isOld ? 'any' : target.at('kind').text === 'ReplicationController' ? 'core' : 'group');
  for (const metric of spec.at('metrics').items()) validateMetric(metric);
  const percentage = spec.at('targetCPUUtilizationPercentage');
  if (percentage.present && percentage.number < 1) {
    const shown = spec.at('metrics').with([{}]).items()[0]?.at('resource').at('target').at('averageUtilization');
    shown?.invalid('must be greater than 0', percentage.number);
  }
  for (const direction of ['scaleUp', 'scaleDown']) validateScalingRules(spec.at('behavior').at(direction));
  const status = autoscaler.at('status');
  for (const name of ['currentReplicas', 'desiredReplicas']) status.at(name).notNegative();
}

/** The only kind of the core group that has a scale is the replication controller; what was accepted once stays accepted. */
function validateReference(reference: Field, allowed: 'any' | 'core' | 'group'): void {
  for (const name of ['kind', 'name']) {
    if (reference.at(name).text === '') reference.at(name).required();
    else reference.at(name).check(pathSegment);
  }
  const version = reference.at('apiVersion');
  if (allowed === 'any') return;
  if (version.text.split('/').length > 2) version.invalid(`unexpected GroupVersion string: ${version.text}`);
  else if (allowed === 'group' && !/^[^/]+\//.test(version.text)) {
    version.invalid('apiVersion must specify API group', version.text);
  }
}

const sources = ['object', 'external', 'pods', 'resource', 'containerResource'] as const;
const sourceTypes = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];

function validateMetric(metric: Field): void {
  const type = metric.at('type');
  if (type.text === '') type.required('must specify a metric source type');
  const isKnown = sourceTypes.includes(type.text);
  if (!isKnown) type.notSupported(sourceTypes, type.text);
  const present = sources.filter((name) => metric.at(name).present);
  const [first] = present;
  if (first) validateSource(first, metric.at(first));
  const wanted = `${type.text.slice(0, 1).toLowerCase()}${type.text.slice(1)}`;
  if (!isKnown) type.notSupported(sourceTypes, type.text);
  else if (!metric.at(wanted).present) {
    metric.at(wanted).required('must populate information for the given metric source');
  }
  if (present.length === 1) return;
  for (const name of present) {
    if (name !== wanted) metric.at(name).forbidden('must populate the given metric source only');
  }
}

function validateSource(kind: (typeof sources)[number], source: Field): void {
  const target = source.at('target');
  const has = (name: string): boolean => target.at(name).present;
  if (kind === 'object') validateReference(source.at('describedObject'), 'core');
  if (kind === 'resource' || kind === 'containerResource') {
    if (source.at('name').text === '') source.at('name').required('must specify a resource name');
    if (kind === 'containerResource') {
      if (source.at('container').text === '') source.at('container').required('must specify a container');
      else source.at('container').check(dnsLabel);
    }
    validateTarget(target);
    if (!has('averageUtilization') && !has('averageValue')) {
      target.at('averageUtilization').required('must set either a target raw value or a target utilization');
    }
    if (has('averageUtilization') && has('averageValue')) {
      target.at('averageValue').forbidden('may not set both a target raw value and a target utilization');
    }
    return;
  }
  const name = source.at('metric').at('name');
  if (name.text === '') name.required('must specify a metric name');
  else name.check(pathSegment);
  validateTarget(target);
  const average = target.at('averageValue');
  if (kind === 'pods') {
    if (!average.present) average.required('must specify a positive target averageValue');
  } else if (!has('value') && !average.present) {
    average.required(
      kind === 'object'
        ? 'must set either a target value or averageValue'
        : 'must set either a target value for metric or a per-pod target',
    );
  }
  if (kind === 'external' && has('value') && average.present) {
    target.at('value').forbidden('may not set both a target value for metric and a per-pod target');
  }
}

function validateTarget(target: Field): void {
  const type = target.at('type');
  if (type.text === '') type.required('must specify a metric target type');
  if (!['Utilization', 'Value', 'AverageValue'].includes(type.text)) {
    type.invalid('must be either Utilization, Value, or AverageValue', type.text);
  }
  for (const name of ['value', 'averageValue']) {
    const { value, present } = target.at(name);
    if (present && compareQuantities(String(value), '0') <= 0) target.at(name).invalid('must be positive');
  }
  const utilization = target.at('averageUtilization');
  if (utilization.present && utilization.number < 1) utilization.invalid('must be greater than 0');
}

function validateScalingRules(rules: Field): void {
  if (!rules.present) return;
  const window = rules.at('stabilizationWindowSeconds');
  if (window.number < 0) window.invalid('must be greater than or equal to zero');
  if (window.number > longestWindow) window.invalid(`must be less than or equal to ${longestWindow}`);
  rules.at('selectPolicy').oneOf(['Disabled', 'Max', 'Min'], false);
  const policies = rules.at('policies');
  if (policies.list.length === 0) policies.required('must specify at least one Policy');
  for (const policy of policies.items()) {
    const type = policy.at('type');
    if (type.text !== 'Pods' && type.text !== 'Percent') type.notSupported(['Percent', 'Pods'], type.text);
    if (policy.at('value').number <= 0) policy.at('value').invalid('must be greater than zero');
    const period = policy.at('periodSeconds');
    if (period.number <= 0) period.invalid('must be greater than zero');
    if (period.number > longestPeriod) period.invalid(`must be less than or equal to ${longestPeriod}`);
  }
  if (rules.at('tolerance').present) validateQuantity(rules.at('tolerance'));
}
