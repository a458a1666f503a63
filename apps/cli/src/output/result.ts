import type { ResourceType } from '@flotilla/schema';
import { formatValue, isMachineFormat } from './format.ts';
import { kubectlName, withKind } from './kubectl-name.ts';

/** What a command came to, where that is not a list of objects. */
export interface Result {
  /** For people. */
  readonly text: string;
  /** For programs. */
  readonly value: unknown;
  /** What `-o name` prints, a line each. */
  readonly names?: readonly string[];
}

/** A result in the form of `-o`. */
export function formatResult(output: string, { text, value, names = [] }: Result): string {
  if (isMachineFormat(output)) return formatValue(value, output);
  return output === 'name' ? names.map((name) => `${name}\n`).join('') : text;
}

/** What `-o name` prints of an object that is known by its name only. */
export const nameOfKind = (type: ResourceType, name: string): string =>
  kubectlName(withKind(type, { metadata: { name } }));
