import { KubeError } from '@flotilla/kube';

/** How a work agent behaves. The names and defaults of the flags are OCM's. */
export interface WorkAgentOptions {
  /** How long what was applied stays when its work is gone from the hub. Default an hour; from 100 years on for ever. */
  readonly evictionGraceMs?: number;
  /** The longest feedback value that is reported as JSON, in bytes. Default 1024. */
  readonly maxJsonRawLength?: number;
  /** How often objects are read that cannot be watched. Default ten seconds. */
  readonly pollMs?: number;
  /** By their OCM names; OCM's defaults where unset. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
}

/** The options with all defaults. */
export type ResolvedWorkAgentOptions = Required<WorkAgentOptions>;

/** Fills in the defaults and refuses what cannot work. */
export function resolveOptions(options: WorkAgentOptions = {}): ResolvedWorkAgentOptions {
  const resolved = { evictionGraceMs: 3_600_000, maxJsonRawLength: 1024, pollMs: 10_000, featureGates: {}, ...options };
  if (!(resolved.evictionGraceMs >= 0)) {
    throw new KubeError('Config', `the eviction grace period is ${resolved.evictionGraceMs} ms`, {
      hint: 'Give --appliedmanifestwork-eviction-grace-period a duration such as 60m.',
    });
  }
  return resolved;
}
