import { readFile } from 'node:fs/promises';
import { EnvtestError } from '../errors.ts';

/** One request as the API server saw it; the fields that tests count by. */
export interface AuditEvent {
  auditID: string;
  stage: 'ResponseStarted' | 'ResponseComplete' | 'Panic';
  verb: string;
  requestURI: string;
  user: { username: string; groups?: string[] };
  /** Whom the user acted for. */
  impersonatedUser?: { username: string; groups?: string[] };
  userAgent?: string;
  objectRef?: { resource?: string; namespace?: string; name?: string; apiGroup?: string; subresource?: string };
  responseStatus?: { code?: number };
  requestReceivedTimestamp: string;
}

/** All requests so far. A watch has two events: one when it starts, one when it ends. */
export async function readAuditLog(path: string): Promise<AuditEvent[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new EnvtestError('InvalidOption', 'there is no audit log: start the cluster with `audit: true`', { cause });
  }
  // The last line may still be being written.
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
