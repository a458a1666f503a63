import type { Logger } from '../log/logger.ts';

/** More distinct warnings than this are not remembered, so that a server cannot fill our memory. */
const maxRemembered = 1000;

/** The texts of a `Warning` header: `299 - "text", 299 - "text"`. */
export function parseWarnings(header: string): string[] {
  const texts: string[] = [];
  for (const match of header.matchAll(/\b\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)) {
    texts.push((match[1] ?? '').replace(/\\(.)/g, '$1'));
  }
  return texts;
}

/** Logs what the API server warns about (deprecated versions, unknown fields), each text once. */
export function createWarningLog(log: Logger): (header: string) => void {
  const seen = new Set<string>();
  return (header) => {
    for (const text of parseWarnings(header)) {
      if (seen.has(text) || seen.size >= maxRemembered) continue;
      seen.add(text);
      log.warn('the API server warns', { warning: text });
    }
  };
}
