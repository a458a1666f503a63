import { randomUUID } from 'node:crypto';
import { stringifyJson } from '@flotilla/kube/meta';
import type { CloudEvent } from './cloud-event.ts';
import { dataObject } from './event-json.ts';
import { heartbeatType } from './event-type.ts';

/** What a hub says about its gRPC server to agents that are connected. */
export interface HubAnnouncement {
  /** The authorities to verify the server with from now on: base64 of PEM, as in `config.yaml`. */
  readonly caData: string;
}

/** An announcement is a heartbeat with data: agents of OCM read the type of a heartbeat and nothing else. */
export const createAnnouncement = (announcement: HubAnnouncement): CloudEvent => ({
  id: randomUUID(),
  source: '',
  type: heartbeatType,
  extensions: {},
  data: new TextEncoder().encode(stringifyJson(announcement)),
});

/** What a heartbeat announces; undefined for one that announces nothing. Throws `MalformedEvent`. */
export function parseAnnouncement(heartbeat: CloudEvent): HubAnnouncement | undefined {
  if (!heartbeat.data) return undefined;
  const { caData } = dataObject(heartbeat);
  return typeof caData === 'string' && caData !== '' ? { caData } : undefined;
}
