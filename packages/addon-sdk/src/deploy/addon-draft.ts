import { Finalizer, type ManagedClusterAddOn } from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';
import { removeCondition, setCondition } from '@flotilla/kube/conditions';
import { semanticEqual } from '@flotilla/kube/meta';
import type { Condition } from '@flotilla/schema';

/** Finalizers of this controller. */
const own = {
  hook: Finalizer.AddOnPreDelete,
  hostingHook: Finalizer.HostingAddOnPreDelete,
  hostingWorks: Finalizer.HostingManifestsCleanup,
} as const;

/** One of the finalizers of this controller. */
export type DeployFinalizer = keyof typeof own;

/** Of older versions of OCM: they go whenever finalizers are written. */
const deprecated: ReadonlySet<string> = new Set([
  'cluster.open-cluster-management.io/addon-pre-delete',
  'cluster.open-cluster-management.io/hosting-addon-pre-delete',
  'cluster.open-cluster-management.io/hosting-manifests-cleanup',
]);

type HealthMode = NonNullable<NonNullable<ManagedClusterAddOn['status']>['healthCheck']>['mode'];

/** What one reconcile wants to change of an add-on: collected step by step, written once. */
export class AddonDraft {
  readonly addon: ManagedClusterAddOn;
  readonly #now: number;
  #finalizers: readonly string[];
  #conditions: readonly Condition[];
  #healthMode: HealthMode;

  constructor(addon: ManagedClusterAddOn, now: number) {
    this.addon = addon;
    this.#now = now;
    this.#finalizers = addon.metadata?.finalizers ?? [];
    this.#conditions = addon.status?.conditions ?? [];
    this.#healthMode = addon.status?.healthCheck?.mode;
  }

  get conditions(): readonly Condition[] {
    return this.#conditions;
  }

  has(finalizer: DeployFinalizer): boolean {
    return this.#finalizers.includes(own[finalizer]);
  }

  /** Whether this controller holds the add-on for anything. */
  get isHeld(): boolean {
    return this.has('hook') || this.has('hostingHook') || this.has('hostingWorks');
  }

  /** The server takes no finalizer for an object that is on its way out. */
  add(finalizer: DeployFinalizer): void {
    if (this.has(finalizer) || this.addon.metadata?.deletionTimestamp !== undefined) return;
    this.#finalizers = [...this.#finalizers, own[finalizer]];
  }

  remove(finalizer: DeployFinalizer): void {
    if (this.has(finalizer)) this.#finalizers = this.#finalizers.filter((name) => name !== own[finalizer]);
  }

  set(condition: ConditionInput): void {
    this.#conditions = setCondition(this.#conditions, condition, this.#now);
  }

  unset(type: string): void {
    this.#conditions = removeCondition(this.#conditions, type);
  }

  setHealthMode(mode: NonNullable<HealthMode>): void {
    this.#healthMode = mode;
  }

  /** The finalizers, if they change. Those of older versions hold an add-on that is being deleted for nothing. */
  get finalizers(): readonly string[] | undefined {
    const { finalizers = [], deletionTimestamp } = this.addon.metadata ?? {};
    const isSame = semanticEqual(finalizers, this.#finalizers);
    const holdsOld = deletionTimestamp !== undefined && finalizers.some((name) => deprecated.has(name));
    return isSame && !holdsOld ? undefined : this.#finalizers.filter((name) => !deprecated.has(name));
  }

  /** The part of the status that changes, if any does. */
  get status(): object | undefined {
    const { conditions, healthCheck } = this.addon.status ?? {};
    const next = {
      ...(!semanticEqual(conditions, this.#conditions) && { conditions: this.#conditions }),
      ...(healthCheck?.mode !== this.#healthMode && { healthCheck: { mode: this.#healthMode } }),
    };
    return Object.keys(next).length > 0 ? next : undefined;
  }
}
