import { redactText } from '../log/redact-text.ts';
import type { HealthReport } from './health.ts';

/**
 * A report as kube-apiserver writes it. All well: `ok`, or with `verbose` a line for each check.
 * Otherwise a line for each, with reasons only when `verbose`: probes are not authenticated, and kubelet logs the body.
 */
export function healthText({ endpoint, results, unknownExcludes }: HealthReport, verbose: boolean): string {
  const failed = results.some((result) => result.reason !== undefined);
  if (!failed && !verbose) return 'ok';
  const lines = results.map(({ name, reason }) => {
    if (reason === undefined) return `[+]${name} ok`;
    return `[-]${name} failed: ${verbose ? redactText(reason).replaceAll('\n', ' ') : 'reason withheld'}`;
  });
  if (unknownExcludes.length > 0) {
    const names = unknownExcludes.map((name) => JSON.stringify(name)).join(', ');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  lines.push(`${endpoint} check ${failed ? 'failed' : 'passed'}`);
  return `${lines.join('\n')}\n`;
}
