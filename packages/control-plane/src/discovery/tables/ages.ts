import { parseTime } from '@flotilla/kube/meta';
import { humanDuration } from './human-duration.ts';

/** Times as cells show them: how long ago. */
export interface Ages {
  /** `<unknown>` for a time that is not set. */
  since(time: string | undefined): string;
  /** How long something took, or takes until now. */
  between(start: string, end: string | undefined): string;
}

/** Ages at one moment: all rows of a table are of the same. */
export const agesAt = (now: number): Ages => ({
  since(time) {
    const at = parseTime(time);
    return at === undefined ? '<unknown>' : humanDuration(now - at);
  },
  between(start, end) {
    return humanDuration((parseTime(end) ?? now) - (parseTime(start) ?? now));
  },
});
