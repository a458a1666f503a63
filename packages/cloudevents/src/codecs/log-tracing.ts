import { Extension } from '../event/cloud-event.ts';
import { jsonObject } from '../event/event-json.ts';

const prefix = 'logging.open-cluster-management.io/';

/** The annotations of an object that name its traces, as the extension that carries them. */
export const logTracing = (annotations: Readonly<Record<string, string>> | undefined): string =>
  JSON.stringify(Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => name.startsWith(prefix))));

/** The annotations of a received extension. */
export function restoreTracing(extension: string | undefined): Record<string, string> {
  const entries = Object.entries(extension ? jsonObject(`extension ${Extension.LogTracing}`, extension) : {});
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => entry[0].startsWith(prefix) && typeof entry[1] === 'string'),
  );
}
