import type { Field } from '../../field.ts';
import { validatePodTemplate } from './pod.ts';
import { validateCounts, validateEndlessRules } from './workloads.ts';

export function validateReplicationController(controller: Field): void {
  const spec = controller.at('spec');
  spec.at('minReadySeconds').notNegative();
  const selector = spec.at('selector');
  if (selector.names.length === 0) selector.required();
  spec.at('replicas').notNegative();
  const template = spec.at('template');
  if (!template.present) template.required();
  else {
    const labels = template.at('metadata').at('labels');
    if (!selector.entries().every(([key, { value }]) => labels.fields[key] === value)) {
      labels.invalid('`selector` does not match template `labels`');
    }
    validatePodTemplate(template);
    validateEndlessRules(spec, 'ReplicationController');
  }
  const status = controller.at('status');
  validateCounts(status, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas']);
  if (status.at('availableReplicas').number > status.at('readyReplicas').number) {
    status.at('availableReplicas').invalid('cannot be greater than readyReplicas');
  }
}

export function validatePodTemplateObject(object: Field): void {
  validatePodTemplate(object.at('template'));
}
