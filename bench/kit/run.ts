// `npm run bench`: the kit against bare Node and against the official client, on one real API server, in one run.
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startCluster } from '@flotilla/envtest';
import { createKubeClient, staticAccess } from '@flotilla/kube';
import { runSections } from '../lib/run-sections.ts';
import { measureRequests } from './requests.ts';
import { measureStartup } from './startup.ts';
import { measureStore } from './store.ts';
import { measureWatches } from './watches.ts';

await using cluster = await startCluster({ crds: customResourceDefinitions(), controllerManager: false });
const access = staticAccess(cluster.access);
const client = createKubeClient({ access });

await runSections([
  ['requests', () => measureRequests(client, cluster.access)],
  ['watches', () => measureWatches(client, cluster.access)],
  ['start-up', () => measureStartup(cluster.kubeconfigPath)],
  ['store', () => measureStore(client)],
]);
await client.close();
