import type { KubeObject } from '@flotilla/schema';

/** Names of the same field in the core group and in events.k8s.io. */
const names: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

/** An event as the other of the two groups that serve it shows it. */
export function eventInVersion(event: KubeObject, apiVersion: string): KubeObject {
  if (event.apiVersion === apiVersion) return event;
  const renames = new Map(names.map(([core, events]) => (apiVersion === 'v1' ? [events, core] : [core, events])));
  const fields = Object.entries(event).map(([name, value]) => [renames.get(name) ?? name, value]);
  return { ...Object.fromEntries(fields), apiVersion };
}
