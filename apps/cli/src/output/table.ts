// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for.
const controls = /[\x00-\x1f\x7f-\x9f]/g;

/** With control characters as `cat -v` shows them. Much of what is printed comes from clusters, which must not command the terminal. */
const printable = (text: string): string =>
  text.replaceAll(controls, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x80 ? `^${String.fromCharCode(code ^ 0x40)}` : `\\x${code.toString(16)}`;
  });

/** A table as kubectl prints it: columns apart by three spaces, no trailing blanks. */
export function formatTable(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headers, ...rows].map((line) => line.map(printable));
  const widths = headers.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map((line) =>
      headers
        .map((_, column) => (line[column] ?? '').padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** What kubectl writes to standard error instead of an empty table. */
export const noResources = 'No resources found\n';

/** How long ago, in the largest unit that says enough: `5s`, `12m`, `3h`, `8d`. */
export function formatAge(timestamp: string | undefined, now: number): string {
  if (timestamp === undefined) return '<unknown>';
  return formatDuration(Math.max(0, Math.floor((now - Date.parse(timestamp)) / 1000)));
}

/** A time span, likewise. */
export function formatDuration(seconds: number): string {
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
