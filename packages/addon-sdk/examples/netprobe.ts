import { config, defineAddon, fromYaml, health, hook, kubeClient } from '@flotilla/addon-sdk';

export const netprobe = defineAddon({
  name: 'netprobe',
  configs: { deploy: config.deployment() },
  registration: [
    kubeClient({
      permissions: (p) =>
        p.inClusterNamespace([{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }]),
    }),
  ],
  health: health.workloads(),
  async render(context) {
    const agent = await fromYaml(new URL('./manifests/', import.meta.url), {
      namespace: context.installNamespace,
      cluster: context.clusterName,
      image: context.image('quay.io/acme/netprobe:1.4'),
      hubSecret: context.secrets.hubKubeconfig,
      env: context.proxyEnv(),
      pod: context.podDefaults(),
    });
    return [...agent, hook.preDelete(cleanup(context.installNamespace), { retries: 3 })];
  },
});

const cleanup = (namespace: string) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'netprobe-cleanup', namespace },
  spec: {
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'cleanup', image: 'quay.io/acme/netprobe:1.4', args: ['cleanup'] }],
      },
    },
  },
});
