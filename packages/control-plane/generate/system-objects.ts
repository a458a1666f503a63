// Writes src/system-objects/system-objects.json from a fresh API server: the objects besides roles and namespaces that every server starts
// with, and how its groups and versions are ordered.
//
//   kubectl proxy --port 8001 & node generate/system-objects.ts http://127.0.0.1:8001
import { writeFileSync } from 'node:fs';

interface SystemObject {
  metadata: { name: string; annotations?: Record<string, string> };
  spec?: object;
  value?: number;
  description?: string;
  preemptionPolicy?: string;
}

interface ApiService {
  metadata: { name: string };
  spec: { groupPriorityMinimum: number; versionPriority: number };
}

const server = process.argv[2];
if (!server) throw new Error('Say where the API server is: node generate/system-objects.ts http://127.0.0.1:8001');

async function list<T>(path: string): Promise<T[]> {
  const response = await fetch(`${server}/apis/${path}`);
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  const { items } = (await response.json()) as { items: T[] };
  return items;
}

/** Without what a server adds when it stores. */
const essence = ({ metadata: { name, annotations }, spec, value, description, preemptionPolicy }: SystemObject) => ({
  metadata: { name, annotations },
  spec,
  value,
  description,
  preemptionPolicy,
});

/** Only what the server made itself: others may have left something behind. */
const isOwn = ({ metadata }: SystemObject): boolean =>
  'apf.kubernetes.io/autoupdate-spec' in (metadata.annotations ?? {});

const flowControl = 'flowcontrol.apiserver.k8s.io/v1';
const objects = {
  flowSchemas: (await list<SystemObject>(`${flowControl}/flowschemas`)).filter(isOwn).map(essence),
  priorityLevels: (await list<SystemObject>(`${flowControl}/prioritylevelconfigurations`)).filter(isOwn).map(essence),
  priorityClasses: (await list<SystemObject>('scheduling.k8s.io/v1/priorityclasses'))
    .filter(({ metadata }) => metadata.name.startsWith('system-'))
    .map(essence),
};
const services = await list<ApiService>('apiregistration.k8s.io/v1/apiservices');
const apiServices = Object.fromEntries(
  services.map(({ metadata, spec }) => [metadata.name, [spec.groupPriorityMinimum, spec.versionPriority]]),
);

// One object per line: small, and a change of one shows as one line in a diff.
const lines = (values: readonly object[]): string => values.map((value) => JSON.stringify(value)).join(',\n');
const output = `{
"flowSchemas": [
${lines(objects.flowSchemas)}
],
"priorityLevels": [
${lines(objects.priorityLevels)}
],
"priorityClasses": [
${lines(objects.priorityClasses)}
],
"apiServices": ${JSON.stringify(apiServices)}
}
`;
writeFileSync(new URL('../src/system-objects/system-objects.json', import.meta.url), output);
process.stdout.write(`${output.length} bytes\n`);
