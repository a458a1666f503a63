import { KubeError } from '../errors/kube-error.ts';

const unitMs = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3], // U+00B5, the micro sign
  ['μs', 1e-3], // U+03BC, the Greek letter
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

const wholeDuration = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const part = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

/** Milliseconds of a duration as Go and Kubernetes write it: `1m30s`, `1.5h`, `300ms`, `0`. Throws a KubeError `Config`. */
export function parseDuration(text: string): number {
  if (/^[+-]?0$/.test(text)) return 0;
  if (!wholeDuration.test(text)) {
    const fix = /^\d+(\.\d+)?$/.test(text)
      ? `write ${text}s for seconds or ${text}ms for milliseconds`
      : 'write it like 1m30s, 10s or 300ms';
    throw new KubeError('Config', `${JSON.stringify(text)} is not a duration; ${fix}`);
  }
  let ms = 0;
  for (const [, number, unit] of text.matchAll(part)) ms += Number(number) * (unitMs.get(unit ?? '') ?? Number.NaN);
  return text.startsWith('-') ? -ms : ms;
}

/** The shortest such text for a number of milliseconds: 90000 is `1m30s`, 3600000 is `1h`. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return String(ms);
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms === 0) return '0s';
  if (ms < 1000) return `${decimal(ms)}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1000;
  return (hours ? `${hours}h` : '') + (minutes ? `${minutes}m` : '') + (seconds ? `${decimal(seconds)}s` : '');
}

/** Never in exponent notation, which durations do not have; a nanosecond is the smallest step. */
const decimal = (value: number): string => value.toFixed(9).replace(/\.?0+$/, '');
