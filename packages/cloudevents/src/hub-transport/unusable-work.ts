import { type ManifestWork, ManifestWorkCondition, ManifestWorkReason } from '@flotilla/api-types';
import { formatTime } from '@flotilla/kube/meta';
import { bundleMetadata, encodeBundleStatus } from '../codecs/manifest-bundle.ts';
import type { CloudEvent } from '../event/cloud-event.ts';
import type { MalformedEvent } from '../event/malformed.ts';
import type { HubContext } from './hub-context.ts';

/** How many works are remembered as reported. */
const maxReported = 10_000;

/** What a report on such a work is made with. */
export interface UnusableWorkOptions {
  readonly source: string;
  readonly nextSequenceId: () => string;
  /** What was reported on an earlier generation. */
  readonly statusOf: (uid: string) => ManifestWork['status'];
}

/**
 * A work that cannot be read is reported as not applied, once for each generation: only the hub can fix it, and its author does not read
 * the log of an agent.
 */
export function reportUnusable(
  { client, clock, log }: HubContext,
  { source, nextSequenceId, statusOf }: UnusableWorkOptions,
): (event: CloudEvent, error: MalformedEvent) => void {
  const reported = new Map<string, number>();
  return (event, error) => {
    try {
      const metadata = bundleMetadata(event);
      const { uid = '', generation = 0 } = metadata;
      if (reported.get(uid) === generation) return;
      reported.set(uid, generation);
      for (const oldest of reported.keys()) {
        if (reported.size <= maxReported) break;
        reported.delete(oldest);
      }
      const condition = {
        type: ManifestWorkCondition.Applied,
        status: 'False',
        reason: ManifestWorkReason.Applied.AppliedManifestWorkFailed,
        message: `The agent cannot read this work: ${error.message}`,
        observedGeneration: generation,
        lastTransitionTime: formatTime(clock.now()),
      } as const;
      const { conditions = [], ...status } = statusOf(uid) ?? {};
      const others = conditions.filter(({ type }) => type !== condition.type);
      const work = { metadata, status: { ...status, conditions: [...others, condition] } };
      client
        .publish(encodeBundleStatus(work, { source, now: clock.now() }, nextSequenceId()))
        .catch((failed: unknown) => {
          reported.delete(uid);
          log.warn('cannot report a work that cannot be read', { work: metadata.name, error: failed });
        });
    } catch (failed) {
      // Without a uid or a version there is nothing to report on.
      log.debug('a work that cannot be read does not say which it is', { error: failed });
    }
  };
}
