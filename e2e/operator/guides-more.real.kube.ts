import { secrets } from '@flotilla/kube/kinds';
import { formatKubeconfig, kubeconfigFor } from '@flotilla/kube/kubeconfig';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GuideHub, startGuideHub } from './guide-hub.ts';
import { applyHelloWork } from './hello-work.ts';

const addOnAgent = `apiVersion: apps/v1
kind: Deployment
metadata: { name: greeter, namespace: open-cluster-management-agent-addon }
spec:
  replicas: 1
  selector: { matchLabels: { app: greeter } }
  template:
    metadata: { labels: { app: greeter } }
    spec:
      containers:
        - name: greeter
          image: busybox
          command: ["sh", "-c", "echo hello && sleep 3600"]
`;

/** What the guides of OCM say beyond the first steps. Each joins and leaves by itself: none needs another. */
describe('more of the guides of OCM', { timeout: 300_000 }, () => {
  let hub: GuideHub;

  beforeAll(async () => {
    hub = await startGuideHub('--registration-drivers csr,grpc --grpc-endpoint-type loadBalancer');
  }, 180_000);
  // A test that failed has not left; the next one joins all the same.
  afterEach(() =>
    hub.sh(
      'flotilla unjoin --force --cluster-name "$(kubectl get klusterlet klusterlet -o jsonpath={.spec.clusterName} --context managed)" --context managed',
    ),
  );
  afterAll(() => hub?.[Symbol.asyncDispose]());

  const applyHello = (cluster: string) => applyHelloWork(hub, cluster);

  it('clean up the works of a deleted cluster, or not, as the ClusterManager says', async () => {
    const setCleanup = async (mode: 'Enable' | 'Disable') => {
      const spec = { registrationConfiguration: { featureGates: [{ feature: 'ResourceCleanup', mode }] } };
      await hub.run(
        `kubectl patch clustermanager cluster-manager --type merge -p '${JSON.stringify({ spec })}' --context hub`,
      );
      const controllers = '-n open-cluster-management-hub deployment/cluster-manager-registration-controller';
      const flags = hub.says(`kubectl get ${controllers} -o yaml --context hub`);
      // What is on by default needs no flag.
      await (mode === 'Disable' ? flags : flags.not).toContain('ResourceCleanup=false');
      await hub.run(`kubectl rollout status ${controllers} --timeout=90s --context hub`);
    };
    const joinAndRun = async (cluster: string) => {
      await hub.run(`${await hub.joinCommand(cluster)} --context managed`);
      await hub.accept(cluster);
      await applyHello(cluster);
    };
    const work = (cluster: string) => `kubectl -n ${cluster} get manifestwork mw-01 --context hub`;

    await setCleanup('Disable');
    await joinAndRun('kept');
    await hub.run('kubectl delete managedcluster kept --wait=false --context hub');
    await hub.says('kubectl get managedcluster kept -o yaml --context hub').toMatch(/mw-01/);
    expect(await hub.run(`${work('kept')} -o jsonpath={.metadata.deletionTimestamp}`)).toBe('');
    await hub.run('kubectl -n kept delete manifestwork mw-01 --timeout=60s --context hub');
    await hub.says('kubectl get managedcluster kept --context hub').toContain('not found');
    await hub.leave('kept');

    await setCleanup('Enable');
    await joinAndRun('cleaned');
    await hub.run('kubectl delete managedcluster cleaned --timeout=90s --context hub');
    await hub.says(work('cleaned')).toContain('not found');
    await hub.says('kubectl -n default get pod hello --context managed').toContain('not found');
    await hub.leave('cleaned');
  });

  it('join by gRPC, at the address that a load balancer gives', async () => {
    await hub
      .says('kubectl -n open-cluster-management-hub get svc cluster-manager-grpc-server --context hub')
      .toMatch(/LoadBalancer +\S+ +\d+\.\d+\.\d+\.\d+ +443/);
    await hub.run(`${await hub.joinCommand('by-grpc', 'grpc')} --context managed`);
    await hub.accept('by-grpc');
    const klusterlet = await hub.run('kubectl get klusterlet klusterlet -o yaml --context managed');
    expect(klusterlet).toContain('authType: grpc');
    await applyHello('by-grpc');
    await hub.says('kubectl -n by-grpc get manifestwork mw-01 -o yaml --context hub').toContain('type: Available');
    await hub.leave('by-grpc');
  });

  it('enable an add-on, whose agent runs on the cluster', async () => {
    await hub.run(`${await hub.joinCommand('with-addon')} --context managed`);
    await hub.accept('with-addon');
    await hub.file('addon.yaml', addOnAgent);
    await hub.run('flotilla addon create greeter -f addon.yaml --context hub');
    await hub.run('flotilla addon enable --names greeter --clusters with-addon --wait --context hub');
    await hub.says('kubectl -n with-addon get managedclusteraddon greeter --context hub').toMatch(/greeter +True/);
    await hub
      .says('kubectl -n open-cluster-management-agent-addon get pod --context managed')
      .toMatch(/greeter-\S+ +1\/1 +Running/);
    await hub.run('flotilla addon disable --names greeter --clusters with-addon --context hub');
    await hub.says('kubectl -n with-addon get managedclusteraddon greeter --context hub').toContain('not found');
    await hub.leave('with-addon');
  });

  it('join a cluster of Cluster API, by the kubeconfig that it keeps', async () => {
    const { hub: management, managed } = hub.servers;
    const names = { cluster: 'capi', user: 'capi-admin', context: 'capi' };
    const value = Buffer.from(formatKubeconfig(kubeconfigFor(managed.access, names))).toString('base64');
    const metadata = { namespace: 'default', name: 'made-by-capi-kubeconfig' };
    await management.client.resource(secrets).create({ metadata, data: { value } });
    const flags = '--capi-import --capi-cluster-name default/made-by-capi';
    await hub.run(`${await hub.joinCommand('imported')} ${flags} --context hub`);
    await hub.accept('imported');
    await applyHello('imported');
    expect(await hub.run('kubectl get klusterlet -o name --context managed')).toContain('klusterlet');
    expect((await hub.sh('kubectl get klusterlet --context hub')).out).toBe('');
    await hub.leave('imported');
  });
});
