import type { Cluster } from '@flotilla/envtest';

/** Requests of a user that the API server has answered so far. A watch counts once, when it begins. */
export async function requestsOf(cluster: Cluster, user: (name: string) => boolean): Promise<number> {
  const events = await cluster.auditEvents();
  return new Set(events.filter((event) => user(event.user.username)).map(({ auditID }) => auditID)).size;
}
