import { stringify } from 'yaml';

/** What `-o` takes besides the form for people. */
export const machineFormats = ['json', 'yaml'] as const;
export type MachineFormat = (typeof machineFormats)[number];

/** A value for machines. */
export const formatValue = (value: unknown, format: MachineFormat): string =>
  format === 'json' ? `${JSON.stringify(value, undefined, 2)}\n` : stringify(value, { lineWidth: 0 });

/** Objects as one YAML stream that kubectl can apply. */
export const formatManifests = (objects: readonly object[]): string =>
  objects.map((object) => `---\n${stringify(object, { lineWidth: 0 })}`).join('');

/** True for `json` and `yaml`. */
export const isMachineFormat = (format: string): format is MachineFormat =>
  machineFormats.some((known) => known === format);
