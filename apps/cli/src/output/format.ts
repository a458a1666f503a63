import { stringifyJson } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import { stringify } from 'yaml';
import { kubectlName } from './kubectl-name.ts';

/** The formats of `-o` for programs. */
export const machineFormats = ['json', 'yaml'] as const;
export type MachineFormat = (typeof machineFormats)[number];

/** A value for machines. */
export const formatValue = (value: unknown, format: MachineFormat): string =>
  format === 'json' ? `${stringifyJson(value, 2)}\n` : stringify(value, { lineWidth: 0 });

/** Objects as one YAML stream that kubectl can apply. */
export const formatManifests = (objects: readonly object[]): string =>
  objects.map((object) => `---\n${stringify(object, { lineWidth: 0 })}`).join('');

/** True for `json` and `yaml`. */
export const isMachineFormat = (format: string): format is MachineFormat =>
  machineFormats.some((known) => known === format);

/** True for the formats that are the same for objects of all kinds. */
export const isObjectFormat = (format: string): format is MachineFormat | 'name' =>
  isMachineFormat(format) || format === 'name';

/** Objects for machines: a List as JSON, a YAML stream, or a name on each line. */
export function formatObjects(objects: readonly KubeObject[], format: MachineFormat | 'name'): string {
  switch (format) {
    case 'json':
      return formatValue({ apiVersion: 'v1', kind: 'List', items: objects }, format);
    case 'yaml':
      return formatManifests(objects);
    case 'name':
      return objects.map((object) => `${kubectlName(object)}\n`).join('');
  }
}

/** The objects that a dry run would write; as text they are manifests too, so that they can be applied. */
export const formatPlanned = (objects: readonly KubeObject[], output: string): string =>
  formatObjects(objects, isObjectFormat(output) ? output : 'yaml');
