import type { Field } from './field.ts';
import type { ScalePaths } from './resource-info.ts';

const largest = 2 ** 31 - 1;

/** What the scale subresource reads of a custom resource must be numbers that make sense. */
export function validateScale(object: Field, paths: ScalePaths): void {
  for (const path of [paths.specReplicasPath, paths.statusReplicasPath]) {
    const replicas = fieldAt(object, path);
    if (!replicas.present) continue;
    if (replicas.number < 0) replicas.invalid('should be a non-negative integer');
    else if (replicas.number > largest) replicas.invalid(`should be less than or equal to ${largest}`);
  }
}

const fieldAt = (object: Field, path: string): Field =>
  path
    .replace(/^\./, '')
    .split('.')
    .reduce((field, name) => field.at(name), object);
