import type { Field } from '../../field.ts';
import { validateLabelSelector } from '../../metadata.ts';
import { validateCountOrPercent } from './workloads.ts';

export function validateLease(lease: Field): void {
  const spec = lease.at('spec');
  const duration = spec.at('leaseDurationSeconds');
  if (duration.present && duration.number <= 0) duration.invalid('must be greater than 0');
  spec.at('leaseTransitions').notNegative();
}

export function validateDisruptionBudget(budget: Field): void {
  const spec = budget.at('spec');
  const least = spec.at('minAvailable');
  const most = spec.at('maxUnavailable');
  if (least.present && most.present) {
    // As the server shows it: by the names of its Go fields.
    spec.invalid('minAvailable and maxUnavailable cannot be both set', {
      MinAvailable: least.value ?? null,
      Selector: spec.at('selector').value ?? null,
      MaxUnavailable: most.value ?? null,
      UnhealthyPodEvictionPolicy: spec.at('unhealthyPodEvictionPolicy').value ?? null,
    });
  }
  for (const field of [least, most]) {
    if (!field.present) continue;
    validateCountOrPercent(field);
    if (typeof field.value === 'string' && Number.parseInt(field.value, 10) > 100) {
      field.invalid('must not be greater than 100%');
    }
  }
  validateLabelSelector(spec.at('selector'));
  const eviction = spec.at('unhealthyPodEvictionPolicy');
  if (eviction.present) eviction.oneOf(['AlwaysAllow', 'IfHealthyBudget']);
}

const highestUserPriority = 1_000_000_000;
const systemClasses: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
};

export function validatePriorityClass(priorityClass: Field, old?: Field): void {
  const name = priorityClass.at('metadata').at('name');
  const value = priorityClass.at('value');
  const known = systemClasses[name.text];
  if (name.text.startsWith('system-')) {
    if (known === undefined || known !== value.number) {
      const why =
        known === undefined
          ? `${name.text} is not a known system priority class`
          : `value of ${name.text} PriorityClass must be ${known}`;
      name.forbidden(`priority class names with 'system-' prefix are reserved for system use only. error: ${why}`);
    }
  } else if (value.number > highestUserPriority) {
    value.forbidden(`maximum allowed value of a user defined priority is ${highestUserPriority}`);
  }
  const preemption = priorityClass.at('preemptionPolicy');
  if (preemption.present) preemption.oneOf(['PreemptLowerPriority', 'Never']);
  if (!old) return;
  if (!value.equals(old.at('value'))) value.forbidden('may not be changed in an update.');
  preemption.immutable(old.at('preemptionPolicy'));
}
