import { parseDuration } from '@flotilla/process';

/** When the agent tries again. */
export interface NextTry {
  /** As text. */
  readonly when: string;
  /** The longest that it can take from now. Absent if it waits for an event. */
  readonly withinSeconds?: number;
  /** RFC 3339; the same as a time. */
  readonly latest?: string;
}

/** Of a work that is complete. */
export const never: NextTry = { when: 'never: it is complete' };

/** What agents say about the next try, at the end of a message. */
const promise = /[,;] (?:will try again in (?<delay>[0-9hms.µn]+)|tried again when (?<event>.+))$/;

/** When the agent tries again, as far as its message says. It does not say when the last try was, so the latest time is given. */
export function nextTryOf(message: string, now: number): NextTry {
  const { delay, event } = promise.exec(message)?.groups ?? {};
  const ms = delay === undefined ? undefined : millisecondsOf(delay);
  if (ms !== undefined) {
    const latest = new Date(now + ms).toISOString();
    return { when: `within ${delay}, or at once when something changes`, withinSeconds: ms / 1000, latest };
  }
  if (event !== undefined) return { when: `when ${event}` };
  return { when: 'by itself, with pauses that grow to some minutes; at once when the work changes' };
}

/** Undefined for what is not a duration: agents of others write what they like. */
function millisecondsOf(delay: string): number | undefined {
  try {
    return parseDuration(delay);
  } catch {
    return undefined;
  }
}

/** A message without that. */
export const withoutPromise = (message: string): string => message.replace(promise, '');
