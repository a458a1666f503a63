import {
  ManagedClusterAddOnCondition,
  ManagedClusterAddOnReason,
  type ManifestWork,
  ManifestWorkCondition,
} from '@flotilla/api-types';
import { type ConditionInput, findCondition } from '@flotilla/kube';
import type { Condition } from '@flotilla/schema';
import type { WorkSite } from '../works/addon-works.ts';

/** The condition about the works of a site. */
export const appliedType = (site: WorkSite) =>
  site === 'managed'
    ? ManagedClusterAddOnCondition.ManifestApplied
    : ManagedClusterAddOnCondition.HostingManifestApplied;

const reasons = ManagedClusterAddOnReason.ManifestApplied;
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Nothing could be written, and why. */
const notWritten = (site: WorkSite, message: string): ConditionInput => ({
  type: appliedType(site),
  status: 'False',
  reason: reasons.ManifestWorkApplyFailed,
  message,
});

export const renderFailed = (site: WorkSite, error: unknown): ConditionInput =>
  notWritten(site, `failed to get manifest from agent interface: ${messageOf(error)}`);

export const buildFailed = (site: WorkSite, error: unknown): ConditionInput =>
  notWritten(site, `failed to build manifestwork: ${messageOf(error)}`);

export const applyFailed = (site: WorkSite, error: unknown): ConditionInput =>
  notWritten(site, `failed to apply manifestWork: ${messageOf(error)}`);

/** There is nothing to apply. */
export const nothingToApply = (site: WorkSite): ConditionInput => ({
  type: appliedType(site),
  status: 'True',
  reason: reasons.AddonManifestApplied,
  message: 'no manifest need to apply',
});

/** What the agent of the cluster reports about the works of a site: the worst of them. 'absent' removes an old complaint, undefined leaves what is there. */
export function appliedStatus(
  site: WorkSite,
  works: readonly ManifestWork[],
  conditions: readonly Condition[],
): ConditionInput | 'absent' | undefined {
  const type = appliedType(site);
  const applied = works.map(({ status }) => findCondition(status?.conditions, ManifestWorkCondition.Applied)?.status);
  const isFailed = applied.some((status) => status !== undefined && status !== 'True');
  if (!isFailed && applied.includes(undefined)) {
    return findCondition(conditions, type)?.status === 'False' ? 'absent' : undefined;
  }
  return !isFailed
    ? {
        type,
        status: 'True',
        reason: reasons.AddonManifestApplied,
        message: 'manifests of addon are applied successfully',
      }
    : {
        type,
        status: 'False',
        reason: reasons.AddonManifestAppliedFailed,
        message: 'failed to apply the manifests of addon',
      };
}

const hookReasons = ManagedClusterAddOnReason.HookManifestCompleted;

/** The hooks are done. */
export const hookCompleted = (work: string): ConditionInput => ({
  type: ManagedClusterAddOnCondition.HookManifestCompleted,
  status: 'True',
  reason: hookReasons.HookManifestIsCompleted,
  message: `hook manifestWork ${work} is completed.`,
});

/** The hooks are not done; `detail` says why, if they failed. */
export const hookNotCompleted = (work: string, detail = ''): ConditionInput => ({
  type: ManagedClusterAddOnCondition.HookManifestCompleted,
  status: 'False',
  reason: hookReasons.HookManifestIsNotCompleted,
  message: `hook manifestWork ${work} is not completed.${detail && ` ${detail}`}`,
});

const hostingReasons = ManagedClusterAddOnReason.HostingClusterValidity;

/** Whether the hosting cluster is one of this hub. */
export const hostingValidity = (cluster: string, isValid: boolean): ConditionInput => ({
  type: ManagedClusterAddOnCondition.HostingClusterValidity,
  status: isValid ? 'True' : 'False',
  reason: isValid ? hostingReasons.HostingClusterValid : hostingReasons.HostingClusterInvalid,
  message: `hosting cluster ${cluster} is ${isValid ? '' : 'not '}a managed cluster of the hub`,
});
