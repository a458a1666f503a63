// `npm run bench`: the kit against bare Node and against the official client, on one real API server, in one run.
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startCluster } from '@flotilla/envtest';
import { createKubeClient, staticAccess } from '@flotilla/kube';
import { type Figure, overLimit, table } from './report.ts';
import { measureRequests } from './requests.ts';
import { measureStartup } from './startup.ts';
import { measureStore } from './store.ts';
import { measureWatches } from './watches.ts';

await using cluster = await startCluster({ crds: customResourceDefinitions(), controllerManager: false });
const access = staticAccess(cluster.access);
const client = createKubeClient({ access });

const sections: [string, () => Promise<Figure[]>][] = [
  ['requests', () => measureRequests(client, cluster.access)],
  ['watches', () => measureWatches(client, cluster.access)],
  ['start-up', () => measureStartup(cluster.kubeconfigPath)],
  ['store', () => measureStore(client)],
];
const figures: Figure[] = [];
for (const [name, measure] of sections) {
  console.error(`measuring ${name} …`);
  figures.push(...(await measure()));
}
await client.close();
console.log(table(figures));
for (const { what, limit } of overLimit(figures)) {
  console.error(`over the limit: ${what} is more than ${limit} times its peer`);
  process.exitCode = 1;
}
