import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GuideClusters, startGuideClusters } from './guide-clusters.ts';

const patience = { timeout: 90_000, interval: 300 };

/** What kubectl says, depending on what it remembers of the server. */
const noKind = /doesn't have a resource type|could not find the requested resource/;

const manifestWork = `apiVersion: work.open-cluster-management.io/v1
kind: ManifestWork
metadata: { name: mw-01, namespace: cluster1 }
spec:
  workload:
    manifests:
      - apiVersion: v1
        kind: Pod
        metadata: { name: hello, namespace: default }
        spec:
          containers:
            - name: hello
              image: busybox
              command: ["sh", "-c", 'echo "Hello, Kubernetes!" && sleep 3600']
          restartPolicy: OnFailure
`;

/** The guides of OCM, command by command with `clusteradm` replaced by `flotilla`. */
describe('the guides of OCM', { timeout: 300_000 }, () => {
  let clusters: GuideClusters<'hub' | 'managed'>;
  let before: { hub: string[]; managed: string[] };
  let joinCommand = '';
  const run = async (line: string) => {
    const result = await clusters.sh(line);
    expect(result, `${line}\n${result.out}\n${result.err}`).toMatchObject({ code: 0 });
    return result.out;
  };
  const says = (line: string) => expect.poll(async () => (await clusters.sh(line)).out, patience);

  beforeAll(async () => {
    clusters = await startGuideClusters('hub', 'managed');
    const { hub, managed } = clusters.servers;
    before = { hub: await listAllObjects(hub.client), managed: await listAllObjects(managed.client) };
  }, 120_000);
  afterAll(() => clusters?.[Symbol.asyncDispose]());

  it('install a hub with sizes, by the operator, and see its pods', async () => {
    const sizes =
      '--resource-qos-class ResourceRequirement --resource-limits cpu=1000m,memory=1Gi --resource-requests cpu=500m,memory=512Mi';
    const out = await run(`flotilla init ${sizes} --wait --context hub`);
    joinCommand = out.split('\n').find((line) => line.trim().startsWith('flotilla join')) ?? '';
    await says('kubectl -n open-cluster-management get pod --context hub').toMatch(
      /cluster-manager-\S+ +1\/1 +Running/,
    );
    const pods = await run('kubectl -n open-cluster-management-hub get pod --context hub');
    for (const name of ['placement-controller', 'registration-controller', 'registration-webhook', 'work-webhook']) {
      expect(pods).toMatch(new RegExp(`cluster-manager-${name}-\\S+ +1/1 +Running`));
    }
    expect(await run('kubectl get clustermanager cluster-manager -o yaml --context hub')).toContain('cpu: 500m');
    for (const namespace of ['open-cluster-management', 'open-cluster-management-hub']) {
      expect(await clusters.logs(clusters.servers.hub.client, namespace, 'orbidden')).toEqual([]);
    }
  });

  it('join a cluster, accept it, and see its agents', async () => {
    const named = joinCommand.replace('<cluster_name>', 'cluster1');
    await run(`${named} --force-internal-endpoint-lookup --context managed`);
    await says('kubectl get csr --context hub').toMatch(/cluster1\S* .*Pending/);
    await run('flotilla accept --clusters cluster1 --context hub');
    await says('kubectl -n open-cluster-management-agent get pod --context managed').toMatch(
      /klusterlet-registration-agent-\S+ +1\/1 +Running[\s\S]*klusterlet-work-agent-\S+ +1\/1 +Running/,
    );
    await says('kubectl get managedcluster --context hub').toMatch(/cluster1 +true .* True +True/);
  });

  it('run a pod by a work', async () => {
    await writeFile(join(clusters.directory, 'manifest-work.yaml'), manifestWork);
    await run('kubectl apply -f manifest-work.yaml --context hub');
    await says('kubectl -n default get pod --context managed').toMatch(/hello +1\/1 +Running/);
    expect(await run('kubectl -n cluster1 get manifestwork/mw-01 --context hub -o yaml')).toContain('type: Applied');
    await run('kubectl -n cluster1 delete manifestwork mw-01 --context hub');
  });

  it('detach the cluster, and leave nothing there', async () => {
    await run('flotilla unjoin --cluster-name cluster1 --context managed');
    const gone = await clusters.sh('kubectl get klusterlet --context managed');
    expect(gone.err).toMatch(noKind);
    const { client } = clusters.servers.managed;
    await expect.poll(() => listAllObjects(client), patience).toEqual(before.managed);
    await run('kubectl delete managedcluster cluster1 --context hub --timeout=60s');
  });

  it('register the hub as its own cluster, in one process, and take it away again', async () => {
    const named = joinCommand.replace('<cluster_name>', 'local-cluster');
    await run(`${named} --singleton --force-internal-endpoint-lookup --wait --context hub`);
    await run('flotilla accept --clusters local-cluster --wait --context hub');
    await says('kubectl get managedcluster --context hub').toMatch(/local-cluster +true .* True +True/);
    expect(await run('kubectl -n open-cluster-management-agent get pod --context hub')).toMatch(
      /klusterlet-agent-\S+ +1\/1/,
    );
    await run('flotilla doctor hub --context hub');
    expect(await run('flotilla upgrade plan --context hub')).toMatch(
      /clustermanager .* up to date[\s\S]*klusterlet .* up to date/,
    );
    await run('flotilla unjoin --cluster-name local-cluster --context hub');
    await run('kubectl delete managedcluster local-cluster --context hub --timeout=60s');
  });

  it('join a cluster in hosted mode, by an operator that comes along, and leave nothing on it', async () => {
    const kubeconfig = join(clusters.directory, 'managed.yaml');
    const { access, client } = clusters.servers.managed;
    await writeKubeconfig(kubeconfig, kubeconfigFor(access, { cluster: 'm', user: 'admin', context: 'm' }));
    const named = joinCommand.replace('<cluster_name>', 'cluster2');
    const hosted = `--mode hosted --managed-cluster-kubeconfig ${kubeconfig}`;
    await run(`${named} ${hosted} --force-internal-endpoint-lookup --wait --context hub`);
    await run('flotilla accept --clusters cluster2 --wait --context hub');
    await says('kubectl get managedcluster --context hub').toMatch(/cluster2 +true .* True +True/);
    await run('flotilla unjoin --cluster-name cluster2 --context hub');
    await run('kubectl delete managedcluster cluster2 --context hub --timeout=60s');
    await expect.poll(() => listAllObjects(client), patience).toEqual(before.managed);
  });

  it('uninstall the hub, and leave nothing there', async () => {
    await run('flotilla clean --context hub');
    const gone = await clusters.sh('kubectl get clustermanager --context hub');
    expect(gone.err).toMatch(noKind);
    await expect.poll(() => listAllObjects(clusters.servers.hub.client), patience).toEqual(before.hub);
  });
});
