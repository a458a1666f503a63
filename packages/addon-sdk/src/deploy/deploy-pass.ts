import type { ManagedCluster, ManagedClusterAddOn } from '@flotilla/api-types';
import type { AddonDeps } from '../caches/deps.ts';
import type { AddonContext } from '../definition/context.ts';
import type { HealthProber } from '../definition/health.ts';
import type { RenderedAddon } from '../render/render-addon.ts';
import type { AddonDraft } from './addon-draft.ts';
import type { HookRetries } from './hook-retries.ts';

/** What came of rendering: once per reconcile, for all of its steps. */
export type Rendering =
  | ({ readonly kind: 'rendered' } & RenderedAddon)
  /** The hub has not admitted the configuration yet; what is deployed stays. */
  | { readonly kind: 'waiting'; readonly why: string; readonly prober?: HealthProber }
  | { readonly kind: 'failed'; readonly error: unknown };

/** One reconcile of one add-on: what its steps read, and where they collect what changes. */
export interface DeployPass {
  readonly deps: AddonDeps;
  readonly addon: ManagedClusterAddOn;
  readonly cluster: ManagedCluster;
  readonly context: AddonContext;
  readonly rendering: Rendering;
  readonly draft: AddonDraft;
  readonly retries: HookRetries;
  /** Failures of steps: they end neither each other nor the reconcile of other clusters. */
  readonly errors: unknown[];
  /** Asks for another reconcile after so many milliseconds. */
  requeue(ms: number, why: string): void;
}
