import type { AddonDefinition } from '../definition/addon-definition.ts';
import { createAddonEngine } from './create-engine.ts';
import type { AddonEngineInput } from './engine.ts';

/** Which add-ons to run, and until when. */
export interface RunAddonsInput extends Omit<AddonEngineInput, 'only'> {
  readonly addons: readonly AddonDefinition[];
  readonly signal: AbortSignal;
}

/** Runs add-ons on a hub until the signal aborts. Rejects if one cannot: a kind is not served, or may not be read. */
export async function runAddons({ addons, signal, ...input }: RunAddonsInput): Promise<void> {
  await using engine = createAddonEngine({ ...input, only: addons.map(({ name }) => name) });
  await Promise.all(addons.map((addon) => engine.start(addon, { signal }).ended));
}
