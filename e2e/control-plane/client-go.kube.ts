import { readFile } from 'node:fs/promises';
import { startCluster } from '@flotilla/envtest';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildChecks, type CheckReport, runChecks } from './client-go/program.ts';
import { ServerProcess } from './server-process.ts';

const servers = ['the embedded control plane', 'kube-apiserver'] as const;
const reports = new Map<string, CheckReport>();
let program: string;

beforeAll(async () => {
  program = await buildChecks();
}, 900_000);

// The checks are right if the real server passes them.
beforeAll(async () => {
  const [embedded, real] = await Promise.all([checkEmbedded(), checkReal()]);
  reports.set('the embedded control plane', embedded).set('kube-apiserver', real);
});

async function checkEmbedded(): Promise<CheckReport> {
  await using server = await ServerProcess.start();
  return await runChecks(program, server);
}

async function checkReal(): Promise<CheckReport> {
  await using cluster = await startCluster();
  const restart = () => cluster.apiServer.restart({ kill: true });
  return await runChecks(program, { kubeconfigPath: cluster.kubeconfigPath, restart });
}

describe.each(servers)('controllers built on client-go work on %s', (server) => {
  it('in every check', () => {
    const failed = [...(reports.get(server)?.errors ?? [])].filter(([, error]) => error !== '');
    expect(failed.map(([check, error]) => `${check}: ${error}`)).toEqual([]);
  });

  it('and each check was made', () => {
    const { planned = [], errors } = reports.get(server) ?? {};
    expect(planned.length).toBeGreaterThanOrEqual(40);
    expect([...(errors?.keys() ?? [])].sort()).toEqual([...planned].sort());
  });
});

it('is the client-go of the Kubernetes that is compared with', async () => {
  const versionOf = async (file: string, module: string) =>
    new RegExp(`${module} v\\d+\\.(\\S+)`).exec(await readFile(new URL(file, import.meta.url), 'utf8'))?.[1];
  const clientGo = await versionOf('client-go/go.mod', 'k8s.io/client-go');
  expect(clientGo).toBeDefined();
  expect(clientGo).toBe(await versionOf('../../packages/envtest/kubernetes/go.mod', 'k8s.io/kubernetes'));
});
