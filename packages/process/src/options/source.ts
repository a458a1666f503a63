import type { OptionDefinition } from './definition.ts';
import type { RawValue } from './read-value.ts';

/** Where the value of an option came from. */
export type OptionSource = 'flag' | 'env' | 'file' | 'default';

/** One appearance of an option in a source, with what the user wrote, for errors: `--port=x`, `hub.yaml:3 port: x`. */
export interface Occurrence {
  readonly raw: RawValue;
  readonly written: string;
}

/** What a source says, by the key of the option, and what in it could not be understood. */
export interface SourceReading {
  readonly occurrences: Map<string, Occurrence[]>;
  readonly errors: string[];
  readonly warnings: string[];
}

/** Nothing read yet. */
export const emptyReading = (): SourceReading => ({ occurrences: new Map(), errors: [], warnings: [] });

/** Records an appearance; all of one option in one source are kept, because lists add up. */
export function record(reading: SourceReading, key: string, occurrence: Occurrence): void {
  const known = reading.occurrences.get(key);
  if (known) known.push(occurrence);
  else reading.occurrences.set(key, [occurrence]);
}

/** A value as errors may show it. */
export const shown = (definition: OptionDefinition, text: string): string =>
  definition.type === 'string' && definition.secret ? '<redacted>' : text;
