import { ClusterProxyApi, ConfigMapName, MountPath, ServiceAccountName } from '@flotilla/api-types';
import type { Deployment } from '@flotilla/kube/kinds';
import { podIp } from '../hub/cluster-proxy.ts';
import { podName } from '../objects/deployment.ts';
import { healthFlag, healthProbe, namespaceFlag, operatedDeployment } from './operated-deployment.ts';
import type { OperatedHub } from './operated-hub.ts';

/** The port of the API by which clusters are reached, in its pods. */
export const clusterProxyPort = 9443;

/** Serves the APIs of clusters to users of the hub. All replicas serve. */
export const clusterProxy = (hub: OperatedHub): Deployment => {
  const serving = { name: 'serving-cert', mountPath: MountPath.ClusterProxyServingCertDirectory, readOnly: true };
  const ca = { name: 'ca', mountPath: MountPath.ClusterProxyCaDirectory, readOnly: true };
  return operatedDeployment(hub, {
    suffix: 'cluster-proxy',
    // As in the manifests without an operator, whose Deployment it can take over.
    app: ClusterProxyApi.service,
    account: ServiceAccountName.ClusterProxy,
    containers: [
      {
        name: 'cluster-proxy',
        image: hub.images.own,
        command: { own: ['cluster-proxy', healthFlag, namespaceFlag(hub)], ocm: [] },
        flags: [
          `--port=${clusterProxyPort}`,
          `--certdir=${serving.mountPath}`,
          `--ca-file=${ca.mountPath}/ca-bundle.crt`,
        ],
        env: [podName, podIp],
        ports: [{ name: 'https', containerPort: clusterProxyPort }],
        probe: healthProbe,
        mounts: [serving, ca],
      },
    ],
    volumes: [
      { name: serving.name, secret: { secretName: ClusterProxyApi.servingSecret } },
      { name: ca.name, configMap: { name: ConfigMapName.CaBundle } },
    ],
  });
};

/** The agents of clusters that the hub reaches itself. All replicas work: they divide the clusters among them. */
export const pushAgents = (hub: OperatedHub): Deployment =>
  operatedDeployment(hub, {
    suffix: 'push-agents',
    app: `${hub.name}-push-agents`,
    account: ServiceAccountName.PushAgents,
    containers: [
      {
        name: 'push-agents',
        image: hub.images.own,
        command: { own: ['push-agents', healthFlag, namespaceFlag(hub)], ocm: [] },
        flags: [],
        probe: healthProbe,
      },
    ],
  });
