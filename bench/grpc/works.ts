import { join } from 'node:path';
import type { Program } from '@flotilla/e2e';
import type { Cluster } from '@flotilla/envtest';
import { realClock } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { issueCertificate } from '@flotilla/kube/pki';
import { type Figure, median, percentile } from '../lib/report.ts';
import { measureFeedback } from '../work/feedback.ts';
import { configMap } from '../work/manifests.ts';
import { bulk, measureManyWorks } from '../work/many-works.ts';
import { measureOneWork } from '../work/one-work.ts';
import { type Works, worksOf } from '../work/works.ts';
import type { Contest, ContestantName, RunningServer } from './contestants.ts';

/** A work agent over gRPC, with the server of the same makers. */
interface RunningWorks {
  readonly works: Works;
  readonly agent: Program;
  readonly clusterName: string;
}

let runs = 0;

/** Runs server and agent of one of them, on a cluster of their own, for as long as it takes to measure. */
async function withAgent<T>(
  contest: Contest,
  { hub, managed }: { readonly hub: Cluster; readonly managed: Cluster },
  name: ContestantName,
  measure: (running: RunningWorks) => Promise<T>,
): Promise<T> {
  console.error(`  ${name}`);
  runs += 1;
  const clusterName = `works-${name.toLowerCase()}-${runs}`;
  for (const { client } of [hub, managed]) {
    await client.resource(namespaces).create({ metadata: { name: clusterName } });
  }
  await using server = await contest.start(name);
  const { kubeconfigPath } = await managed.createUser({ name: `agent-${clusterName}`, groups: ['system:masters'] });
  await using agent = await contest.startAgent(name, 'work', [
    `--spoke-cluster-name=${clusterName}`,
    // One agent leaves alone what the other applied.
    `--agent-id=${clusterName}`,
    `--kubeconfig=${kubeconfigPath}`,
    '--namespace=default',
    '--workload-source-driver=grpc',
    `--workload-source-config=${await agentConfig(contest, server, clusterName)}`,
    `--cloudevents-client-id=${clusterName}-work-agent`,
  ]);
  using works = await worksOf(hub.client, clusterName);
  await works.applied(await works.create('first', [configMap(`${clusterName}-first`, '')]));
  const result = await measure({ works, agent, clusterName });
  await agent.end();
  await server.program.end();
  return result;
}

/** `config.yaml` with a certificate of the agent of a cluster. */
async function agentConfig(contest: Contest, { port }: RunningServer, clusterName: string): Promise<string> {
  const group = `system:open-cluster-management:${clusterName}`;
  const groups = [group, 'system:open-cluster-management:managed-clusters'];
  const request = { usage: 'client', name: `${group}:agent`, groups } as const;
  const { certificate, key } = await issueCertificate(contest.authority, request, realClock);
  const directory = await contest.newDirectory();
  const write = (name: string, text: string) => contest.write(join(directory.split('/').at(-1) ?? '', name), text);
  return write(
    'config.yaml',
    [
      `caData: ${btoa(contest.authority.certificate)}`,
      `clientCertFile: ${await write('tls.crt', certificate)}`,
      `clientKeyFile: ${await write('tls.key', key)}`,
      `url: localhost:${port}`,
      '',
    ].join('\n'),
  );
}

/** What is measured of works over gRPC, as sections of the benchmark. */
export function workSections(contest: Contest, servers: { readonly hub: Cluster; readonly managed: Cluster }) {
  const both = async <T>(measure: (running: RunningWorks) => Promise<T>) => {
    const ours = await withAgent(contest, servers, 'ours', measure);
    const ocm = await withAgent(contest, servers, 'OCM', measure);
    return (what: string, unit: string, pick: (run: T) => number): Figure => ({
      what: `over gRPC: ${what}`,
      unit,
      ours: pick(ours),
      peer: { name: 'OCM', value: pick(ocm) },
      limit: 1,
    });
  };
  return {
    async oneWork(): Promise<Figure[]> {
      const figure = await both(({ works }) => measureOneWork(works, 0));
      return [
        figure('create to Applied and Available, p50', 'ms', ({ creates }) => median(creates)),
        figure('create to Applied and Available, p99', 'ms', ({ creates }) => percentile(creates, 0.99)),
        figure('update to Applied and Available, p50', 'ms', ({ updates }) => median(updates)),
        figure('update to Applied and Available, p99', 'ms', ({ updates }) => percentile(updates, 0.99)),
      ];
    },
    async feedback(): Promise<Figure[]> {
      const figure = await both(({ works, clusterName }) => measureFeedback(works, servers.managed, clusterName));
      return [
        figure('status change to feedback on the hub, p50', 'ms', (times) => median(times)),
        figure('status change to feedback on the hub, max', 'ms', (times) => percentile(times, 1)),
      ];
    },
    async manyWorks(): Promise<Figure[]> {
      const figure = await both(({ works, agent, clusterName }) => measureManyWorks(works, agent, clusterName));
      return [
        figure(`${bulk.works} works × ${bulk.manifests} manifests`, 's', ({ seconds }) => seconds),
        figure('… CPU of the agent', 's', ({ cpu }) => cpu),
      ];
    },
  };
}
