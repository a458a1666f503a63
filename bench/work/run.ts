// `npm run bench:work` in bench: our work agent against that of Open Cluster Management, in one run on the same servers.
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startCluster } from '@flotilla/envtest';
import { realClock } from '@flotilla/kube';
import { type Figure, median, percentile } from '../lib/report.ts';
import { requestsOf } from '../lib/requests.ts';
import { runSections } from '../lib/run-sections.ts';
import { type Contestant, prepare } from './contestants.ts';
import { measureFeedback } from './feedback.ts';
import { configMap } from './manifests.ts';
import { bulk, idleMs, type ManyWorks, measureManyWorks } from './many-works.ts';
import { measureNewKind, type NewKind } from './new-kind.ts';
import { measureOneWork, type OneWork } from './one-work.ts';
import { measureRequests, type RequestsPerWork } from './requests-per-work.ts';
import { worksOf } from './works.ts';

interface Run {
  readonly one: OneWork;
  readonly requests: RequestsPerWork;
  readonly newKind: NewKind;
  readonly feedback: readonly number[];
  readonly many: ManyWorks;
}

const crds = customResourceDefinitions();
await using hub = await startCluster({ crds, audit: true });
await using managed = await startCluster({ crds, audit: true });

async function run(name: Contestant['name']): Promise<Run> {
  const contestant = await prepare(name, hub, managed);
  const { clusterName } = contestant;
  await using agent = await contestant.start();
  using works = await worksOf(hub.client, clusterName);
  const requests = async () => {
    const isAgent = (user: string) => user === contestant.user;
    return (await requestsOf(hub, isAgent)) + (await requestsOf(managed, isAgent));
  };
  await works.settled(await works.create('warm', [configMap(`${clusterName}-warm`, '')]));
  const step = (what: string) => console.error(`  ${name}: ${what}`);
  step('one work at a time');
  const one = await measureOneWork(works);
  await works.deleteAll();
  step('requests of one work');
  const counted = await measureRequests(works, clusterName, requests);
  step('kinds that are new');
  const newKind = await measureNewKind(works, managed, clusterName);
  step('feedback');
  const feedback = await measureFeedback(works, managed, clusterName);
  step('many works');
  const many = await measureManyWorks(works, agent, clusterName, requests);
  await agent.end();
  // The servers come to rest before the other starts.
  await realClock.sleep(5000);
  return { one, requests: counted, newKind, feedback, many };
}

await runSections([
  [
    'work agents',
    async () => {
      const runs = { ours: await run('ours'), ocm: await run('OCM') };
      const figure = (what: string, unit: string, limit: number | undefined, pick: (run: Run) => number): Figure => ({
        what,
        unit,
        ours: pick(runs.ours),
        peer: { name: 'OCM', value: pick(runs.ocm) },
        ...(limit !== undefined && { limit }),
      });
      const hours = idleMs / 3_600_000;
      const size = `${bulk.works} works × ${bulk.manifests} manifests`;
      return [
        figure('create to Applied and Available, p50', 'ms', 0.6, ({ one }) => median(one.creates)),
        figure('create to Applied and Available, p99', 'ms', 0.6, ({ one }) => percentile(one.creates, 0.99)),
        figure('update to Applied and Available, p50', 'ms', 0.6, ({ one }) => median(one.updates)),
        figure('update to Applied and Available, p99', 'ms', 0.6, ({ one }) => percentile(one.updates, 0.99)),
        figure('requests to create a work of 5 manifests', '', 0.5, (each) => each.requests.create),
        figure('requests to change one of 5 manifests', '', 0.5, (each) => each.requests.update),
        figure('a kind whose definition is in the same work', 'ms', undefined, ({ newKind }) =>
          median(newKind.together),
        ),
        figure('a kind whose definition comes 5 s later', 'ms', 0.1, ({ newKind }) => median(newKind.later)),
        figure('status change to feedback on the hub, p50', 'ms', 0.02, ({ feedback }) => median(feedback)),
        figure('status change to feedback on the hub, max', 'ms', 0.02, ({ feedback }) => percentile(feedback, 1)),
        figure(size, 's', 0.1, ({ many }) => many.seconds),
        figure('… CPU of the agent', 's', 0.5, ({ many }) => many.cpu),
        figure('RSS with these works', 'MiB', 1.2, ({ many }) => many.mib),
        figure('idle CPU with these works', '% of a core', 0.1, ({ many }) => many.idleCpu * 100),
        figure('idle: requests an hour for each work', '', 0.1, ({ many }) => many.idleRequests / hours / many.deleted),
        figure('delete these works', 's', 0.1, ({ many }) => many.deleteSeconds),
      ];
    },
  ],
]);
