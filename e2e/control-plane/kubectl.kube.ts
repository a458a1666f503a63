import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Kubectl, kubectlFor } from './kubectl.ts';
import { certificateRequest } from './scenarios/certificate-request.ts';

const pollOptions = { timeout: 20_000, interval: 100 };

let directory: string;
let plane: ControlPlane;
let kubectl: Kubectl;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'flotilla-kubectl-suite-'));
  plane = await startControlPlane({ kubeconfigPath: join(directory, 'kubeconfig.yaml'), simulator: true });
  kubectl = await kubectlFor(join(directory, 'kubeconfig.yaml'));
});
afterAll(async () => {
  await kubectl?.[Symbol.asyncDispose]();
  await plane?.stop();
  await rm(directory, { recursive: true, force: true });
});

const manifest = (value: string): string => `
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  labels: {app: demo}
data:
  colour: ${value}
`;

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx}]}
`;

describe('kubectl', () => {
  it('applies, applies again, shows a diff and applies server-side', async () => {
    expect(await kubectl('apply -f -', { stdin: manifest('red') })).toBe('configmap/settings created\n');
    expect(await kubectl('apply -f -', { stdin: manifest('red') })).toBe('configmap/settings unchanged\n');
    const same = await kubectl.run('diff -f -', { stdin: manifest('red') });
    expect(same).toMatchObject({ code: 0, stdout: '' });
    const other = await kubectl.run('diff -f -', { stdin: manifest('blue') });
    expect(other.code).toBe(1);
    expect(other.stdout).toMatch(/-\s+colour: red\n\+\s+colour: blue/);
    expect(await kubectl('apply -f -', { stdin: manifest('blue') })).toBe('configmap/settings configured\n');
    expect(await kubectl('apply --server-side -f -', { stdin: manifest('blue') })).toBe(
      'configmap/settings serverside-applied\n',
    );
    const taken = await kubectl.run('apply --server-side --field-manager=other -f -', { stdin: manifest('green') });
    expect(taken.stderr).toContain('conflict');
    expect(
      await kubectl('apply --server-side --force-conflicts --field-manager=other -f -', { stdin: manifest('green') }),
    ).toBe('configmap/settings serverside-applied\n');
    const wrong = await kubectl.run('apply -f -', { stdin: `${manifest('red')}nonsense: 1\n` });
    expect(wrong.stderr).toContain('unknown field "nonsense"');
  });

  it('says of a kind that is not there that it is not there', async () => {
    const stdin = 'apiVersion: nothing.example.com/v1\nkind: Nothing\nmetadata: {name: a, namespace: default}\n';
    for (const command of ['apply -f -', 'apply --validate=strict -f -', 'create -f -']) {
      const { code, stderr } = await kubectl.run(command, { stdin });
      expect(code).toBe(1);
      expect(stderr).toBe(
        'error: resource mapping not found for name: "a" namespace: "default" from "STDIN": no matches for kind "Nothing" in version "nothing.example.com/v1"\nensure CRDs are installed first\n',
      );
    }
  });

  it('creates what it makes up itself', async () => {
    expect(await kubectl('create configmap made --from-literal=a=b')).toBe('configmap/made created\n');
    expect(await kubectl('create namespace other')).toBe('namespace/other created\n');
    expect(await kubectl('create serviceaccount robot')).toBe('serviceaccount/robot created\n');
    const again = await kubectl.run('create configmap made');
    expect(again.stderr).toBe('error: failed to create configmap: configmaps "made" already exists\n');
    expect(await kubectl('create deployment made --image=nginx --dry-run=server -o name')).toBe(
      'deployment.apps/made\n',
    );
  });

  it('changes by patch, label and annotation', async () => {
    expect(await kubectl(`patch configmap made -p '{"data":{"c":"d"}}'`)).toBe('configmap/made patched\n');
    expect(await kubectl(`patch configmap made --type=merge -p '{"data":{"c":"d"}}'`)).toBe(
      'configmap/made patched (no change)\n',
    );
    expect(await kubectl(`patch configmap made --type=json -p '[{"op":"remove","path":"/data/c"}]'`)).toBe(
      'configmap/made patched\n',
    );
    expect(await kubectl('label configmap made tier=x')).toBe('configmap/made labeled\n');
    expect((await kubectl.run('label configmap made tier=y')).stderr).toContain('--overwrite');
    expect(await kubectl('label configmap made tier-')).toBe('configmap/made unlabeled\n');
    expect(await kubectl('annotate configmap made note=x')).toBe('configmap/made annotated\n');
  });

  it('gets in every form', async () => {
    expect(await kubectl('get configmap made')).toMatch(/^NAME +DATA +AGE\nmade +1 +\d+s\n$/);
    expect(await kubectl('get configmap made -o wide --show-labels')).toMatch(/LABELS\n/);
    expect(JSON.parse(await kubectl('get configmap made -o json'))).toMatchObject({
      kind: 'ConfigMap',
      data: { a: 'b' },
    });
    expect(await kubectl('get configmap made -o yaml')).toContain('kind: ConfigMap\n');
    expect(await kubectl('get configmap made -o name')).toBe('configmap/made\n');
    expect(await kubectl('get configmap made -o jsonpath={.data.a}')).toBe('b');
    expect(await kubectl('get configmaps -o custom-columns=NAME:.metadata.name,A:.data.a')).toMatch(/^NAME +A\n/);
    expect(await kubectl('get configmaps -A -l app=demo --no-headers')).toMatch(/^default +settings/);
    expect(await kubectl('get configmaps --sort-by=.metadata.name -o name')).toContain(
      'configmap/made\nconfigmap/settings',
    );
    expect(await kubectl('get all -o name')).toBe('service/kubernetes\n');
    expect((await kubectl.run('get configmap none')).stderr).toBe(
      'Error from server (NotFound): configmaps "none" not found\n',
    );
    expect(await kubectl('get configmap made -w', { until: /made/ })).toMatch(/made/);
    expect(await kubectl('get configmaps --chunk-size=1 -o name')).toContain('configmap/settings');
  });

  it('describes and explains', async () => {
    const described = await kubectl('describe configmap made');
    expect(described).toMatch(/Name: +made\nNamespace: +default\n/);
    expect(described).toContain('Annotations:  note: x');
    expect(await kubectl('explain configmap.data')).toMatch(/KIND: +ConfigMap[\s\S]*FIELD: data <map\[string\]string>/);
    expect(await kubectl('explain deployment.spec.template.spec.containers.image')).toContain('FIELD: image <string>');
    expect((await kubectl.run('explain configmap.nothing')).stderr).toContain('field "nothing" does not exist');
    expect(await kubectl('explain pod.spec.containers')).toContain('List of containers belonging to the pod.');
    expect(await kubectl('explain deployment.spec')).toContain('Number of desired pods.');
  });

  it('lists what there is, and what one may do', async () => {
    const resources = await kubectl('api-resources');
    expect(resources).toMatch(/^NAME +SHORTNAMES +APIVERSION +NAMESPACED +KIND\n/);
    expect(resources).toMatch(/configmaps +cm +v1 +true +ConfigMap/);
    expect(await kubectl('api-versions')).toContain('apps/v1\n');
    expect(await kubectl('version')).toMatch(/Server Version: v1\.\d+/);
    expect(await kubectl('auth can-i create pods')).toBe('yes\n');
    const nobody = await kubectl.run('auth can-i create pods --as=nobody');
    expect(nobody).toMatchObject({ code: 1, stdout: 'no\n' });
    expect(await kubectl('auth can-i --list --as=nobody')).toMatch(/selfsubjectaccessreviews.authorization.k8s.io/);
    expect(await kubectl('auth whoami')).toContain('kubernetes-admin');
    expect((await kubectl.run('get secrets --as=nobody')).stderr).toContain(
      'secrets is forbidden: User "nobody" cannot list resource "secrets" in API group "" in the namespace "default"',
    );
  });

  it('approves certificates and issues tokens', async () => {
    const csr = {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'somebody' },
      spec: {
        request: certificateRequest,
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['client auth'],
      },
    };
    await kubectl('create -f -', { stdin: JSON.stringify(csr) });
    expect(await kubectl('certificate approve somebody')).toBe(
      'certificatesigningrequest.certificates.k8s.io/somebody approved\n',
    );
    await kubectl('wait csr/somebody --for=jsonpath={.status.certificate} --timeout=10s');
    expect(await kubectl('get csr somebody')).toMatch(/Approved,Issued/);
    const [, claims = ''] = (await kubectl('create token robot')).split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      sub: 'system:serviceaccount:default:robot',
    });
  });

  it('waits for a rollout, scales and restarts it', async () => {
    expect(await kubectl('apply -f -', { stdin: deployment })).toBe('deployment.apps/web created\n');
    expect(await kubectl('rollout status deployment/web --timeout=20s')).toContain('successfully rolled out');
    expect(await kubectl('wait deployment/web --for=condition=Available --timeout=20s')).toBe(
      'deployment.apps/web condition met\n',
    );
    expect(await kubectl('get deployment web')).toMatch(/web +2\/2 +2 +2 /);
    expect(await kubectl('scale deployment web --replicas=1')).toBe('deployment.apps/web scaled\n');
    expect(await kubectl('rollout status deployment/web --timeout=20s')).toContain('successfully rolled out');
    expect(await kubectl('rollout restart deployment/web')).toBe('deployment.apps/web restarted\n');
    expect(await kubectl('rollout status deployment/web --timeout=20s')).toContain('successfully rolled out');
    const described = await kubectl('describe deployment web');
    expect(described).toMatch(/Replicas: +1 desired/);
    expect(described).toMatch(
      /Normal +ScalingReplicaSet +\d+s +deployment-controller +Scaled up replica set web-\w+ from 0 to 2\n/,
    );
    // A pod of the version before may still be terminating.
    const pods = () => kubectl('get pods -l app=web -o name');
    await vi.waitFor(async () => expect((await pods()).trim().split('\n')).toHaveLength(1), pollOptions);
    const name = (await pods()).trim();
    const pod = await kubectl(`describe ${name}`);
    expect(pod).toMatch(
      /Normal +Scheduled +\d+s +default-scheduler +Successfully assigned default\/web-\S+ to node-1\n/,
    );
    expect(pod).toMatch(/Normal +Started +\d+s +kubelet +.*Container started\n/);
    expect(await kubectl('events --for deployment/web')).toContain('ScalingReplicaSet');
  });

  it('deletes with each cascade', async () => {
    expect(await kubectl('delete deployment web --cascade=orphan')).toContain('deployment.apps "web" deleted');
    expect(await kubectl('get replicasets -o name')).toMatch(/replicaset.apps\/web-/);
    expect(await kubectl('delete replicasets -l app=web --cascade=foreground')).toContain('deleted');
    expect(await kubectl('get pods -l app=web -o name')).toBe('');
    expect(await kubectl('delete configmap made --cascade=background')).toContain('configmap "made" deleted');
    expect(await kubectl('delete configmap made --ignore-not-found')).toBe('');
    expect(await kubectl('delete namespace other --timeout=20s')).toContain('namespace "other" deleted');
    expect((await kubectl.run('get namespace other')).stderr).toContain('namespaces "other" not found');
  });
});
