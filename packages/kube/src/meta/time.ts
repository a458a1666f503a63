import { type EpochMs, type WallTime, wallTime } from '../clock/time.ts';

/** metav1.Time: RFC 3339 in UTC, whole seconds, as the API server writes it. */
export const formatTime = (epochMs: EpochMs): string => `${new Date(epochMs).toISOString().slice(0, 19)}Z`;

/** metav1.MicroTime: RFC 3339 in UTC with exactly six digits; Go refuses to read fewer. */
export const formatMicroTime = (epochMs: EpochMs): string => {
  const whole = Math.floor(epochMs);
  const micros = Math.floor((epochMs - whole) * 1000);
  return `${new Date(whole).toISOString().slice(0, 23)}${String(micros).padStart(3, '0')}Z`;
};

/** Milliseconds since the epoch of a Time or MicroTime; undefined if it is absent or not a time. */
export function parseTime(text: string | undefined): WallTime | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : wallTime(ms);
}
