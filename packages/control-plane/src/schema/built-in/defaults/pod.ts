import type { JsonObject } from '@flotilla/schema';
import { child, children, type Defaulter, ensure, entries, fill, textAt } from './fill.ts';
import { defaultVolume } from './volumes.ts';

/** A pod on its own has a few defaults that templates do not have. */
export const defaultPod: Defaulter = (pod) => {
  const spec = ensure(pod, 'spec');
  for (const container of [...children(spec, 'containers'), ...children(spec, 'initContainers')]) {
    requestWhatIsLimited(ensure(container, 'resources'));
  }
  fill(spec, { enableServiceLinks: true });
  defaultPodSpec(spec);
  if (spec.hostNetwork === true) useHostPorts(spec);
};

/** A limit without a request asks for as much as it allows. */
function requestWhatIsLimited(resources: JsonObject): void {
  const limits = child(resources, 'limits');
  if (limits) fill(ensure(resources, 'requests'), limits);
}

/** On the network of its host, a port of a container is one of the host. */
function useHostPorts(spec: JsonObject): void {
  for (const container of [...children(spec, 'containers'), ...children(spec, 'initContainers')]) {
    for (const port of children(container, 'ports')) {
      if (port.containerPort !== undefined) fill(port, { hostPort: port.containerPort });
    }
  }
}

/** The template of a workload. */
export const defaultPodTemplate = (owner: JsonObject): void => {
  ensure(ensure(owner, 'template'), 'metadata');
  defaultPodSpec(ensure(ensure(owner, 'template'), 'spec'));
};

const defaultPodSpec: Defaulter = (spec) => {
  fill(spec, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  });
  // The older name of the field is kept equal to the newer one.
  const account = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount');
  if (account !== '') Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
  for (const volume of children(spec, 'volumes')) defaultVolume(volume);
  for (const list of ['containers', 'initContainers', 'ephemeralContainers']) {
    for (const container of children(spec, list)) defaultContainer(container);
  }
};

function defaultContainer(container: JsonObject): void {
  fill(container, {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: pullPolicyOf(textAt(container, 'image')),
  });
  for (const port of children(container, 'ports')) {
    fill(port, { protocol: 'TCP' });
  }
  for (const variable of children(container, 'env')) {
    const field = child(child(variable, 'valueFrom') ?? {}, 'fieldRef');
    if (field) fill(field, { apiVersion: 'v1' });
  }
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) defaultProbe(child(container, name));
  for (const [, hook] of entries(child(container, 'lifecycle'))) defaultHttpGet(child(hook, 'httpGet'));
}

/** An image that may change under its name is pulled each time. */
function pullPolicyOf(image: string): string {
  const [name = '', digest] = image.split('@');
  const tag = /:([^/:]+)$/.exec(name)?.[1];
  if (tag === 'latest') return 'Always';
  return tag === undefined && digest === undefined ? 'Always' : 'IfNotPresent';
}

function defaultProbe(probe: JsonObject | undefined): void {
  if (!probe) return;
  fill(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
  defaultHttpGet(child(probe, 'httpGet'));
  const grpc = child(probe, 'grpc');
  if (grpc) fill(grpc, { service: '' });
}

function defaultHttpGet(action: JsonObject | undefined): void {
  if (action) fill(action, { path: '/', scheme: 'HTTP' });
}
