import { startControlPlane } from '@flotilla/control-plane';
import { pods } from '@flotilla/kube/kinds';
import { type Image, startProcessNode } from '@flotilla/process-node';

/** What runs for the image `busybox`: the shell of this machine. */
const busybox: Image = ({ command, args }) => ({ command: '/bin/sh', args: [...command.slice(1), ...args] });

/** Runs a pod as a process, and resolves with what it wrote. */
export async function firstPod(directory: string): Promise<string> {
  await using plane = await startControlPlane({ workloads: true });
  const { client, server } = plane;
  await using node = await startProcessNode({ client, server, directory, images: { busybox } });
  const pod = client.resource(pods);
  await pod.create({
    metadata: { namespace: 'default', name: 'hello' },
    spec: {
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', `echo "I run on ${node.name}"`] }],
    },
  });
  for await (const { object } of pod.watch({ namespace: 'default', resourceVersion: '0' })) {
    if ('status' in object && object.status?.phase === 'Succeeded') break;
  }
  const path = '/api/v1/namespaces/default/pods/hello/log';
  return (await client.transport.request({ method: 'GET', path })).body;
}
