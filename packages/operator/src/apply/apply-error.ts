import { KubeError, keyOf } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';

/** How many failures a message names; the others are like them as a rule. */
const named = 3;

/** An object that could not be applied or removed. */
export interface ObjectFailure {
  readonly object: KubeObject;
  readonly error: unknown;
}

/** Some objects could not be applied; the message names them, for a condition. */
export class ApplyError extends Error {
  override readonly name = 'ApplyError';

  constructor(failures: readonly ObjectFailure[]) {
    const texts = failures.slice(0, named).map(describe);
    const rest = failures.length - named;
    super([...texts, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; '), { cause: failures[0]?.error });
  }
}

const describe = ({ object, error }: ObjectFailure): string => {
  const { message, hint } = KubeError.from(error);
  return `${object.kind} ${keyOf(object)}: ${message}. ${hint}`;
};
