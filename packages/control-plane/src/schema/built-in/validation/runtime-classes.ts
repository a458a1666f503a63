import type { Field } from '../../field.ts';
import { validateLabels } from '../../metadata.ts';
import { dnsLabel } from '../../names.ts';
import { validateTolerations } from './pod.ts';
import { validateResources } from './resources.ts';

export function validateRuntimeClass(runtimeClass: Field, old?: Field): void {
  const handler = runtimeClass.at('handler');
  if (old) {
    handler.immutable(old.at('handler'));
    return;
  }
  if (handler.text === '') handler.required();
  else handler.check(dnsLabel);
  const overhead = runtimeClass.at('overhead');
  // The server validates the overhead like the limits of a container, and its messages say so.
  if (overhead.present) validateResources(overhead.with({ limits: overhead.at('podFixed').value ?? {} }));
  const scheduling = runtimeClass.at('scheduling');
  validateLabels(scheduling.at('nodeSelector'));
  validateTolerations(scheduling.at('tolerations'));
  const seen = new Set<string>();
  for (const toleration of scheduling.at('tolerations').items()) {
    const identity = JSON.stringify(['key', 'operator', 'value', 'effect'].map((name) => toleration.at(name).text));
    if (seen.has(identity)) toleration.duplicate();
    seen.add(identity);
  }
}
