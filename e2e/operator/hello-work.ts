import type { GuideHub } from './guide-hub.ts';

/** The pod `hello` of the guides. */
const manifestWork = (cluster: string) => `apiVersion: work.open-cluster-management.io/v1
kind: ManifestWork
metadata: { name: mw-01, namespace: ${cluster} }
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

/** Gives a cluster the work `mw-01` of the guides, and waits until its pod runs. */
export async function applyHelloWork(hub: GuideHub, cluster: string): Promise<void> {
  await hub.file('manifest-work.yaml', manifestWork(cluster));
  await hub.run('kubectl apply -f manifest-work.yaml --context hub');
  await hub.says('kubectl -n default get pod --context managed').toMatch(/hello +1\/1 +Running/);
}
