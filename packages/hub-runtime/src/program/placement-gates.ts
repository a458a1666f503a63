import { KubeError } from '@flotilla/kube';
import type { SchedulerGates } from '@flotilla/placement';
import type { OptionDefinition } from '@flotilla/process';

/** The gates of placement by the names that users give. They are not feature gates: OCM's operator refuses those that it does not know. */
const gates = {
  PreferNoSelect: 'preferNoSelect',
  Spread: 'spread',
  StablePaging: 'stablePaging',
} as const satisfies Record<string, keyof SchedulerGates>;
const isGate = (name: string): name is keyof typeof gates => Object.hasOwn(gates, name);

/** The flag that switches them on. */
export const placementGatesOption = {
  type: 'list',
  group: 'Placement',
  description: `What OCM accepts of placements and ignores, or does otherwise, of ${Object.keys(gates).join(', ')}: taints with the effect PreferNoSelect, spreadPolicy, and pages of decisions on which clusters stay.`,
} as const satisfies OptionDefinition;

/** The gates that `--placement-gates` names. */
export function placementGatesOf(names: readonly string[]): SchedulerGates {
  const unknown = names.find((name) => !isGate(name));
  if (unknown !== undefined) {
    throw new KubeError('Config', `--placement-gates names "${unknown}", which does not exist`, {
      hint: `The gates are ${Object.keys(gates).join(', ')}.`,
    });
  }
  return Object.fromEntries(names.filter(isGate).map((name) => [gates[name], true]));
}
