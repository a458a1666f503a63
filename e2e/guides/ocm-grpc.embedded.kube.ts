import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GuideShell, startGuideShell } from './guide-shell.ts';

/** Blocks of the guide "Register a cluster via gRPC" of Open Cluster Management that cannot be run here, with the reason. */
const notRun: [block: string, reason: string][] = [
  ['curl -v -k https://hub-grpc.example.com', 'the name is an example; agents connect to the address itself'],
  ['openssl s_client -connect hub-grpc.example.com:443', 'likewise'],
  ['kubectl describe svc', 'is printed by kubectl itself; the Service is read instead'],
  ['kubectl edit klusterlet', 'opens an editor; the same change is a patch'],
  [
    'clusteradm join --hub-apiserver https://hub-grpc.example.com',
    'the name is an example; option B runs the same command with the address of the hub',
  ],
  ['kubectl logs <addon-pod-name>', 'no add-on is installed by this guide; ocm-addons.embedded.kube.ts runs it'],
  [
    'imagePullSpec: quay.io/open-cluster-management/registration:v0.15.0',
    'is an image of Open Cluster Management: its Deployment is read, and e2e/interop runs such images',
  ],
  ['.ingress[0].hostname', 'is what AWS gives; the balancer here gives an address'],
];

/** The ClusterManager of the guide. */
const clusterManager = (drivers: string, server = '') => `apiVersion: operator.open-cluster-management.io/v1
kind: ClusterManager
metadata:
  name: cluster-manager
spec:
  registrationConfiguration:
    registrationDrivers:
${drivers}
  serverConfiguration:
${server}    endpointsExposure:
      - protocol: grpc
        usage: agentToHub
        grpc:
          type: loadBalancer
`;

const csr = '      - authType: csr\n';
const grpc = `      - authType: grpc
        grpc:
          autoApprovedIdentities: []`;
const approved = 'system:serviceaccount:open-cluster-management:cluster-bootstrap';
const grpcApproved = `      - authType: grpc
        grpc:
          autoApprovedIdentities:
            - ${approved}`;
/** Whose tokens `get token` gives to clusters. */
const ofJoinTokens = 'system:serviceaccount:open-cluster-management:agent-registration-bootstrap';
const ofOcm = 'quay.io/open-cluster-management/registration:v0.15.0';

/** The Klusterlet of the guide: everything else comes with the bootstrap Secret. */
const klusterlet = `apiVersion: operator.open-cluster-management.io/v1
kind: Klusterlet
metadata:
  name: klusterlet
spec:
  clusterName: cluster1
  registrationConfiguration:
    registrationDriver:
      authType: grpc
`;

const ofHub = '-n open-cluster-management-hub --context $CTX_HUB_CLUSTER';
const address = `kubectl get svc cluster-manager-grpc-server -o jsonpath='{.status.loadBalancer.ingress[0].ip}' ${ofHub}`;
const driver =
  "kubectl get klusterlet klusterlet -o jsonpath='{.spec.registrationConfiguration.registrationDriver.authType}' --context $CTX_MANAGED_CLUSTER";
const logs =
  'kubectl logs -n open-cluster-management-agent deployment/klusterlet-registration-agent --context $CTX_MANAGED_CLUSTER';
const agent = '-n open-cluster-management-agent get deployment klusterlet-registration-agent -o yaml --context managed';
const toGrpc = JSON.stringify({ spec: { registrationConfiguration: { registrationDriver: { authType: 'grpc' } } } });

describe('the guide of Open Cluster Management to gRPC', { timeout: 300_000 }, () => {
  let guide: GuideShell;
  let printed = '';
  beforeAll(async () => {
    guide = await startGuideShell();
  }, 120_000);
  afterAll(() => guide?.[Symbol.asyncDispose]());

  const isAvailable = () =>
    guide
      .says('kubectl get managedcluster cluster1 --context $CTX_HUB_CLUSTER')
      .toMatch(/cluster1 +true .* True +True/);
  const byGrpc = () => `
grpc_svr=$(${address})
kubectl -n open-cluster-management-hub get configmaps ca-bundle-configmap -ojsonpath='{.data.ca-bundle\\.crt}' --context hub > grpc-svr-ca.pem
${printed.replace('<cluster_name>', '"cluster1"')} --registration-auth grpc --grpc-server $grpc_svr --grpc-ca-file grpc-svr-ca.pem --context managed`;

  it.skip.each(notRun)('%s: %s', () => {});

  it('clusteradm init enables the gRPC server, behind a load balancer', async () => {
    await guide.run(
      'clusteradm init --registration-drivers="csr,grpc" --grpc-endpoint-type loadBalancer --bundle-version=latest --context $CTX_HUB_CLUSTER',
    );
    await guide.says(address).toMatch(/^\d+\.\d+\.\d+\.\d+\n$/);
    await guide.says(`kubectl get pods ${ofHub}`).toMatch(/cluster-manager-grpc-server-\S+ +1\/1 +Running/);
    expect(await guide.run(`kubectl get svc cluster-manager-grpc-server ${ofHub}`)).toContain('LoadBalancer');
    expect(await guide.run(`kubectl logs deployment/cluster-manager-grpc-server ${ofHub}`)).not.toContain(
      '"level":"error"',
    );
  });

  it('the authority of the gRPC server can be read', async () => {
    const ofNamespace = 'kubectl -n open-cluster-management-hub get';
    expect(await guide.run(`${ofNamespace} cm ca-bundle-configmap -ojsonpath='{.data.ca-bundle\\.crt}'`)).toMatch(
      /^-----BEGIN CERTIFICATE-----/,
    );
    for (const file of ['crt', 'key']) {
      expect(await guide.run(`${ofNamespace} secrets signer-secret -ojsonpath="{.data.tls\\.${file}}"`)).toMatch(
        /^\S{40,}\n$/,
      );
    }
  });

  const apply = async (text: string) => {
    await guide.file('clustermanager.yaml', text);
    await guide.run('kubectl apply -f clustermanager.yaml --context $CTX_HUB_CLUSTER');
  };
  const deployment = (name: string) => `kubectl get deployment cluster-manager-${name} -o yaml ${ofHub}`;

  it('the ClusterManager with gRPC alone registers by nothing else', async () => {
    // As kubectl's apply, a patch replaces the list; a server-side apply would leave the driver that init has set.
    const registrationDrivers = [{ authType: 'grpc', grpc: { autoApprovedIdentities: [] } }];
    const body = JSON.stringify({ spec: { registrationConfiguration: { registrationDrivers } } });
    await guide.run(`kubectl patch clustermanager cluster-manager --type merge -p '${body}' --context hub`);
    await guide.says(deployment('registration-controller')).toMatch(/--enabled-registration-drivers=grpc\s/);
    expect(await guide.run('kubectl get clustermanager cluster-manager -o yaml --context $CTX_HUB_CLUSTER')).toMatch(
      /registrationDrivers:\s+- authType: grpc/,
    );
  });

  it('the ClusterManager with both drivers, an identity to approve and an image is taken as it is', async () => {
    await apply(clusterManager(csr + grpcApproved, `    imagePullSpec: ${ofOcm}\n`));
    await guide.says(deployment('registration-controller')).toContain(`--auto-approved-grpc-users=${approved}`);
    await guide.says(deployment('grpc-server')).toContain(`image: ${ofOcm}`);
  });

  it('the ClusterManager with both drivers runs both', async () => {
    await apply(clusterManager(csr + grpc));
    await guide.says(deployment('grpc-server')).not.toContain(ofOcm);
    await guide.says(deployment('registration-controller')).toMatch(/--enabled-registration-drivers=csr,grpc\s/);
    await guide.says(`kubectl get pods ${ofHub}`).not.toMatch(/ +0\/1 /);
    await guide.says(`kubectl get pods ${ofHub}`).toMatch(/cluster-manager-grpc-server-\S+ +1\/1 +Running/);
  });

  it('clusteradm get token prints the command to join', async () => {
    const lines = (await guide.run('clusteradm get token --context $CTX_HUB_CLUSTER')).split('\n');
    const isApi = (line: string) => line.startsWith('clusteradm join') && !line.includes('grpc');
    printed = lines.map((line) => line.trim()).find(isApi) ?? '';
    expect(printed).not.toBe('');
  });

  it('option A: clusteradm join with the driver, and all that looks at it', async () => {
    await guide.run(byGrpc());
    await guide.run('clusteradm accept --clusters cluster1 --wait --context $CTX_HUB_CLUSTER');
    await isAvailable();
    expect(await guide.run(driver)).toBe('grpc\n');
    expect(
      await guide.run(
        "kubectl get secret bootstrap-hub-kubeconfig -n open-cluster-management-agent -ojsonpath='{.data.config\\.yaml}' --context managed",
      ),
    ).toMatch(/^\S{40,}\n$/);
    expect(await guide.run(logs)).toContain('the agent is running');
    await guide.file('klusterlet.yaml', klusterlet);
    await guide.run('kubectl apply -f klusterlet.yaml --context $CTX_MANAGED_CLUSTER');
    const shown = await guide.run('kubectl get klusterlet klusterlet -o yaml --context $CTX_MANAGED_CLUSTER');
    expect(shown).toMatch(/registrationDriver:\s+authType: grpc/);
    await isAvailable();
    await guide.run('clusteradm unjoin --cluster-name cluster1 --context managed');
    await guide.run('kubectl delete managedcluster cluster1 --context hub');
  });

  it('option B: a cluster that joined by certificates keeps its agents until it is told where the gRPC server is', async () => {
    await guide.run(`${printed.replace('<cluster_name>', 'cluster1')} --wait --context $CTX_MANAGED_CLUSTER`);
    await guide.run(`kubectl patch klusterlet klusterlet --type merge -p '${toGrpc}' --context $CTX_MANAGED_CLUSTER`);
    const conditions =
      "kubectl get klusterlet klusterlet -o jsonpath='{.status.conditions}' --context $CTX_MANAGED_CLUSTER";
    await guide.says(conditions).toContain('has no config.yaml');
    // As the guide has it, the cluster is accepted after the edit.
    await guide.run('clusteradm accept --clusters cluster1 --context $CTX_HUB_CLUSTER');
    await isAvailable();
    expect(await guide.run(driver)).toBe('grpc\n');
    expect(await guide.run(`kubectl ${agent}`)).not.toContain('--registration-auth=grpc');
    const doctor = await guide.sh('clusteradm doctor cluster --context managed');
    expect(doctor.out).toContain('config.yaml');
    expect(doctor.out).not.toContain('accepts the credentials');
  });

  it('option B goes on: the command of option A moves the agents, and accept says which request is theirs', async () => {
    await guide.run(byGrpc());
    await guide.says(`kubectl ${agent}`).toContain('--registration-auth=grpc');
    // Another driver is another request, which an administrator of the hub decides about: the cluster reports, so accept names it only.
    await guide
      .says('kubectl get csr --context $CTX_HUB_CLUSTER')
      .toMatch(/cluster1-\S+ .*open-cluster-management.io\/grpc .*Pending/);
    const { err } = await guide.sh('clusteradm accept --clusters cluster1 --context $CTX_HUB_CLUSTER');
    const [named = ''] = /clusteradm accept --clusters cluster1 --csr \S+/.exec(err) ?? [];
    expect(named, err).not.toBe('');
    await guide.run(`${named} --context $CTX_HUB_CLUSTER`);
    await guide.says('kubectl get csr --context $CTX_HUB_CLUSTER').not.toContain('Pending');
    await guide.says(logs).toContain('the agent is running');
    await isAvailable();
  });

  it('[cli A33] a cluster of an identity that the hub approves is available without accept', async () => {
    await guide.run('clusteradm unjoin --cluster-name cluster1 --context managed');
    await guide.run('kubectl delete managedcluster cluster1 --context hub');
    await guide.run(
      `clusteradm init --registration-drivers csr,grpc --auto-approved-grpc-identities ${ofJoinTokens} --feature-gates ManagedClusterAutoApproval=true --wait --context $CTX_HUB_CLUSTER`,
    );
    await guide.says(deployment('registration-controller')).toContain(`--auto-approved-grpc-users=${ofJoinTokens}`);
    await guide.run(byGrpc());
    await isAvailable();
    expect(await guide.run(driver)).toBe('grpc\n');
  });
});
