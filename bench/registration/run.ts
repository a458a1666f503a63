// `npm run bench:registration` in bench: our agents and hub against those of Open Cluster Management, in one run.
// Names of sections as arguments measure these alone.
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { serveAddOnVersions } from '@flotilla/e2e';
import { startCluster } from '@flotilla/envtest';
import { runSections } from '../lib/run-sections.ts';
import { measureAgents } from './agent.ts';
import { startContest } from './contestants.ts';
import { measureHeartbeats } from './heartbeats.ts';
import { measureIdleAgents } from './idle-agent.ts';
import { measureJoinAtOnce } from './join-at-once.ts';
import { measureManyClusters } from './many-clusters.ts';

await using versions = await serveAddOnVersions();
await using hub = await startCluster({ crds: versions.crds, audit: true });
await using managed = await startCluster({ crds: customResourceDefinitions() });
await using contest = await startContest(hub, managed);

const sections = [
  ['agents', () => measureAgents(contest, hub, managed)],
  ['idle-agents', () => measureIdleAgents(contest, hub, managed)],
  ['many-clusters', () => measureManyClusters(contest, hub)],
  ['join-at-once', () => measureJoinAtOnce(contest, hub)],
  ['heartbeats', () => measureHeartbeats(contest, hub)],
] as const;
const wanted = process.argv.slice(2);
await runSections(sections.filter(([name]) => wanted.length === 0 || wanted.includes(name)));
