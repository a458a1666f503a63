import type { ManifestWork, ManifestWorkSpec } from '@flotilla/api-types';
import type { Manifest } from '../work/manifests.ts';
import { newWork } from '../work/new-work.ts';

/** Its name, which the next steps of the quickstart mention. */
export const exampleName = 'hello';

/** How many pods it runs. */
export const exampleReplicas = 2;

const namespace = 'default';
const labels = { app: exampleName };

const manifests: readonly Manifest[] = [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name: exampleName, labels },
    data: { greeting: 'Hello from the hub.' },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name: exampleName, labels },
    spec: {
      replicas: exampleReplicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: exampleName,
              image: 'busybox',
              command: ['sh', '-c', 'echo "$GREETING" && sleep 1000000'],
              env: [{ name: 'GREETING', valueFrom: { configMapKeyRef: { name: exampleName, key: 'greeting' } } }],
            },
          ],
        },
      },
    },
  },
];

/** What the quickstart gives to its first cluster: something that runs, its settings, and feedback of how it is. */
export const exampleWork = (cluster: string): ManifestWork => newWork(exampleName, cluster, manifests, true);

/** What the replica set of the quickstart gives to its clusters. */
export const exampleTemplate = (name: string): ManifestWorkSpec => ({
  workload: {
    manifests: [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data: { by: `replica set ${name}` } },
    ],
  },
});

/** Something that the user can give to a cluster, as a file. */
export const tryManifest = `# What a cluster gets by: flotilla create work try -f try.yaml --clusters cluster1
apiVersion: v1
kind: ConfigMap
metadata:
  name: try
  namespace: default
data:
  by: the hub
`;
