import { nearest } from '@flotilla/kube/errors';

/** `; did you mean x?`, if a known name is near. */
export const nearestName = (name: string, known: readonly string[]): string => {
  const found = nearest(name, known);
  return found === undefined ? '' : ` (did you mean ${found}?)`;
};
