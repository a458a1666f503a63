import { apiVersionOf, stringifyJson } from '@flotilla/kube/meta';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { stringify } from 'yaml';

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

/** Objects of one kind for machines: a List as JSON, or a YAML stream. Lists of the API leave out what each is. */
export function formatObjects(type: ResourceType, items: readonly KubeObject[], format: MachineFormat): string {
  const objects = items.map((item) => ({ apiVersion: apiVersionOf(type), kind: type.kind, ...item }));
  return format === 'json'
    ? formatValue({ apiVersion: 'v1', kind: 'List', items: objects }, format)
    : formatManifests(objects);
}
