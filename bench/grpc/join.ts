import { join } from 'node:path';
import { administrator } from '@flotilla/e2e';
import type { Cluster } from '@flotilla/envtest';
import { createToken } from '@flotilla/kube/kinds';
import { kubeconfigFor } from '@flotilla/kube/kubeconfig';
import { cpuSeconds } from '../lib/cpu.ts';
import { type Figure, median } from '../lib/report.ts';
import { forgetAgent } from '../registration/forget-agent.ts';
import { hubIsReady } from '../registration/hub-ready.ts';
import type { Contest, ContestantName, RunningServer } from './contestants.ts';

const rounds = 5;

interface Join {
  readonly ms: number;
  readonly cpuMs: number;
}

/** From the start of an agent that has the gRPC address only until the hub has it as available, with hub and server of the same makers. */
export async function measureJoins(
  contest: Contest,
  { hub, managed }: { readonly hub: Cluster; readonly managed: Cluster },
): Promise<Figure[]> {
  using admin = administrator(hub.client);
  const account = 'open-cluster-management/agent-registration-bootstrap';
  const { token } = await createToken(hub.client, account, { expirationSeconds: 7200 });

  const joinOnce = async (name: ContestantName, server: RunningServer, round: number): Promise<Join> => {
    const clusterName = `join-${name.toLowerCase()}-${round}`;
    const config = { url: `localhost:${server.port}`, caData: btoa(contest.authority.certificate), token };
    const identity = await contest.newDirectory();
    const { server: url, ca } = hub;
    const kubeconfig = kubeconfigFor({ server: url, ca, authorization: `Bearer ${token}`, origin: 'bench' });
    const flags = [
      `--spoke-cluster-name=${clusterName}`,
      `--kubeconfig=${managed.kubeconfigPath}`,
      '--namespace=open-cluster-management-agent',
      `--bootstrap-kubeconfig=${await contest.write(`${clusterName}-kubeconfig.yaml`, JSON.stringify(kubeconfig))}`,
      `--hub-kubeconfig-dir=${identity}`,
      '--registration-auth=grpc',
      `--grpc-bootstrap-config=${await contest.write(`${clusterName}.yaml`, JSON.stringify(config))}`,
      `--grpc-config=${join(identity, 'config.yaml')}`,
    ];
    const began = performance.now();
    const agent = await contest.startAgent(name, 'registration', flags);
    await admin.admit(clusterName);
    await admin.joined(clusterName);
    const ms = performance.now() - began;
    const cpuMs = (await cpuSeconds(agent.pid)) * 1000;
    await agent.end();
    await forgetAgent(clusterName, { hub, managed, admin });
    return { ms, cpuMs };
  };
  /** The first join warms up hub and server, which stay as they are for the others. */
  const joins = async (name: ContestantName): Promise<Join[]> => {
    console.error(`  ${name}`);
    await using program = await contest.startHub(name);
    await using server = await contest.start(name);
    await hubIsReady(hub.client, admin);
    const measured: Join[] = [];
    for (let round = 0; round <= rounds; round += 1) measured.push(await joinOnce(name, server, round));
    await program.end();
    await server.program.end();
    return measured.slice(1);
  };
  const ours = await joins('ours');
  const ocm = await joins('OCM');
  const figure = (what: string, limit: number | undefined, pick: (each: Join) => number): Figure => ({
    what: `over gRPC: ${what}`,
    unit: 'ms',
    ours: median(ours.map(pick)),
    peer: { name: 'OCM', value: median(ocm.map(pick)) },
    ...(limit !== undefined && { limit }),
  });
  return [
    figure('registration agent: start to Available on the hub', 1, ({ ms }) => ms),
    figure('… CPU of the agent', undefined, ({ cpuMs }) => cpuMs),
  ];
}
