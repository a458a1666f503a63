import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { configMaps, nodes, pods, secrets } from '@flotilla/kube/kinds';
import { temporaryDirectory } from '@flotilla/kube/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Image } from './contracts/image.ts';
import { isReady, startTestNode, stateOf, type TestNode } from './fixtures/test-node.ts';

/** Empty for a process that has ended, or is a zombie. */
function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

const forever = 'while :; do sleep 0.1; done';

describe.each(['namespace', 'rewrite'] as const)('a process node with mounts by %s', (mounts) => {
  let test: TestNode;
  // A machine without root has only one of the two.
  const isPossible = mounts === 'rewrite' || process.getuid?.() === 0;
  beforeAll(async () => {
    if (isPossible) test = await startTestNode({ mounts });
  });
  afterAll(() => test?.[Symbol.asyncDispose]());
  afterEach(() => vi.unstubAllEnvs());

  it.runIf(isPossible)('registers a Node that is ready, with a lease', async () => {
    const node = await test.plane.client.resource(nodes).get('process-node');
    expect(node.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
    expect(node.status?.addresses?.[0]).toEqual({ type: 'InternalIP', address: test.node.address });
    expect(Number(node.status?.capacity?.cpu)).toBeGreaterThan(0);
  });

  it.runIf(isPossible)('runs a pod: mounts, variables, logs, and its end', async () => {
    const { client } = test.plane;
    await client
      .resource(configMaps)
      .create({ metadata: { namespace: 'default', name: 'greeting' }, data: { text: 'ahoy' } });
    await test.create('hello', {
      restartPolicy: 'Never',
      volumes: [{ name: 'greeting', configMap: { name: 'greeting' } }],
      main: {
        args: ['cat /etc/greeting/text; echo; echo $IP $FILE; cat $FILE'],
        env: [
          { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
          { name: 'FILE', value: '/etc/greeting/text' },
        ],
        volumeMounts: [{ name: 'greeting', mountPath: '/etc/greeting' }],
      },
    });
    const pod = await test.podWhen('hello', ({ status }) => status?.phase === 'Succeeded');
    expect(stateOf(pod).terminated).toMatchObject({ exitCode: 0, reason: 'Completed' });
    const [first, second, third] = (await test.logOf('hello')).split('\n');
    expect(first).toBe('ahoy');
    expect(second).toMatch(new RegExp(`^${pod.status?.podIP} `));
    expect(third).toBe('ahoy');
    expect(await test.logOf('hello', 'tailLines=1')).toBe('ahoy\n');
  });

  it.runIf(isPossible && process.platform === 'linux')(
    'ends with a container what it started, also in another session',
    async () => {
      await test.create('daemon', {
        restartPolicy: 'Never',
        main: { args: ['setsid sleep 86399 & echo $!; sleep 0.2'] },
      });
      await test.podWhen('daemon', ({ status }) => status?.phase === 'Succeeded');
      const running = readdirSync('/proc').filter((pid) => commandLineOf(pid) === 'sleep 86399');
      expect(running).toEqual([]);
    },
  );

  it.runIf(isPossible && mounts === 'namespace')(
    'mounts nothing where a link leads that a container wrote into a volume',
    async () => {
      const volumeMounts = [{ name: 'links', mountPath: '/data' }];
      await test.create('linked', {
        restartPolicy: 'Never',
        volumes: ['links', 'programs'].map((name) => ({ name, emptyDir: {} })),
        initContainers: [{ name: 'init', image: 'shell', args: ['ln -s /usr/bin /data/x'], volumeMounts }],
        main: {
          args: ['ls /usr/bin | wc -l'],
          volumeMounts: [...volumeMounts, { name: 'programs', mountPath: '/data/x' }],
        },
      });
      const pod = await test.podWhen('linked', ({ status }) => status?.phase === 'Failed');
      expect(stateOf(pod).terminated).toMatchObject({ exitCode: 126 });
      const says = 'the process node mounts nothing at /data/x: a link in a volume leads elsewhere\n';
      expect(await test.logOf('linked')).toBe(says);
    },
  );

  it.runIf(isPossible)('refuses a directory of the machine, and says how to allow it', async () => {
    await test.create('curious', {
      volumes: [{ name: 'machine', hostPath: { path: '/etc' } }],
      main: { args: ['ls /machine'], volumeMounts: [{ name: 'machine', mountPath: '/machine' }] },
    });
    const pod = await test.podWhen('curious', (one) => stateOf(one).waiting?.reason === 'CreateContainerConfigError');
    expect(stateOf(pod).waiting?.message).toContain('start the node with allow: { hostPaths: ["/etc"] }');
  });

  it.runIf(isPossible)('gives a pod nothing of the user: its programs must not find that kubeconfig', async () => {
    vi.stubEnv('KUBECONFIG', '/of/the/user');
    const args = ['echo "[$HOME][$KUBECONFIG][$USER][$XDG_CONFIG_HOME]"'];
    await test.create('alone', { restartPolicy: 'Never', main: { args } });
    await test.podWhen('alone', ({ status }) => status?.phase === 'Succeeded');
    expect(await test.logOf('alone')).toBe('[/][][][]\n');
  });

  it.runIf(isPossible)('shows a container the new files of a ConfigMap while it runs', async () => {
    const { client } = test.plane;
    const key = 'default/live';
    await client
      .resource(configMaps)
      .create({ metadata: { namespace: 'default', name: 'live' }, data: { text: 'old' } });
    await test.create('reader', {
      volumes: [{ name: 'live', configMap: { name: 'live' } }],
      main: {
        args: ['while [ "$(cat /etc/live/text)" != new ]; do sleep 0.05; done; echo seen; while :; do sleep 1; done'],
        volumeMounts: [{ name: 'live', mountPath: '/etc/live' }],
      },
    });
    await test.podWhen('reader', isReady);
    await client.resource(configMaps).patch(key, { type: 'merge', body: { data: { text: 'new' } } });
    await vi.waitFor(async () => expect(await test.logOf('reader')).toBe('seen\n'), { timeout: 10_000 });
  });

  it.runIf(isPossible)('mounts what the node keeps below another mount: /tmp', async () => {
    await test.create('covered', {
      restartPolicy: 'Never',
      volumes: [
        { name: 'a', emptyDir: {} },
        { name: 'z', downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
      ],
      main: {
        args: ['cat /z/name /tmp/nested/name; echo > /tmp/file'],
        volumeMounts: [
          { name: 'a', mountPath: '/tmp' },
          { name: 'z', mountPath: '/z' },
          { name: 'z', mountPath: '/tmp/nested' },
        ],
      },
    });
    await test.podWhen('covered', ({ status }) => status?.phase === 'Succeeded');
    expect(await test.logOf('covered')).toBe('coveredcovered\n');
  });

  it.runIf(isPossible)('runs a program from below a directory that a volume covers: /tmp', async () => {
    await using files = await temporaryDirectory();
    await writeFile(join(files.path, 'program.sh'), 'echo "$0 runs"');
    const program: Image = () => ({
      command: '/bin/sh',
      args: [join(files.path, 'program.sh')],
      files: [files.path],
    });
    await using own = await startTestNode({ mounts, images: { program } });
    await own.create('hidden', {
      restartPolicy: 'Never',
      volumes: [{ name: 'a', emptyDir: {} }],
      main: { image: 'program', volumeMounts: [{ name: 'a', mountPath: tmpdir() }] },
    });
    await own.podWhen('hidden', ({ status }) => status?.phase === 'Succeeded');
    expect(await own.logOf('hidden')).toContain(`${join(files.path, 'program.sh')} runs`);
  });

  it.runIf(isPossible && mounts === 'namespace')(
    'runs programs of PATH, and none that a volume has there',
    async () => {
      await using files = await temporaryDirectory();
      await writeFile(join(files.path, 'tool'), '#!/bin/sh\necho that of the machine\n', { mode: 0o755 });
      vi.stubEnv('PATH', `${process.env.PATH}:${files.path}`);
      await using own = await startTestNode({ mounts });
      const copy = join('/copy', relative(tmpdir(), files.path));
      const init = `mkdir -p ${copy} && printf '#!/bin/sh\\necho another\\n' > ${copy}/tool && chmod +x ${copy}/tool`;
      await own.create('replaced', {
        restartPolicy: 'Never',
        volumes: [{ name: 'a', emptyDir: {} }],
        initContainers: [
          { name: 'init', image: 'shell', args: [init], volumeMounts: [{ name: 'a', mountPath: '/copy' }] },
        ],
        main: { args: ['tool'], volumeMounts: [{ name: 'a', mountPath: tmpdir() }] },
      });
      await own.podWhen('replaced', ({ status }) => status?.phase === 'Succeeded');
      expect(await own.logOf('replaced')).toBe('that of the machine\n');
    },
  );

  it.runIf(isPossible)('runs init containers in their order, before the others', async () => {
    const init = (name: string, script: string) => ({
      name,
      image: 'shell',
      args: [script],
      volumeMounts: [{ name: 'work', mountPath: '/work' }],
    });
    await test.create('steps', {
      restartPolicy: 'Never',
      volumes: [{ name: 'work', emptyDir: {} }],
      initContainers: [init('one', 'echo 1 >> /work/order'), init('two', 'echo 2 >> /work/order')],
      main: { args: ['cat /work/order'], volumeMounts: [{ name: 'work', mountPath: '/work' }] },
    });
    await test.podWhen('steps', ({ status }) => status?.phase === 'Succeeded');
    expect(await test.logOf('steps')).toBe('1\n2\n');
  });
});

describe('a process node', () => {
  let test: TestNode;
  beforeAll(async () => {
    test = await startTestNode();
  });
  afterAll(() => test[Symbol.asyncDispose]());

  it('starts a container again whose liveness probe fails', async () => {
    const livenessProbe = {
      // Fails once the command runs: before, a container on a busy machine has no process yet that handles a signal.
      exec: { command: ['test', '!', '-e', '/state/started'] },
      periodSeconds: 1,
      failureThreshold: 1,
      terminationGracePeriodSeconds: 10,
    };
    const volumeMounts = [{ name: 'state', mountPath: '/state' }];
    await test.create('sick', {
      volumes: [{ name: 'state', emptyDir: {} }],
      main: { args: [`touch /state/started; ${forever}`], volumeMounts, livenessProbe },
    });
    const pod = await test.podWhen('sick', ({ status }) => (status?.containerStatuses?.[0]?.restartCount ?? 0) > 0);
    expect(pod.status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(143);
  });

  it('is not ready before its readiness probe succeeds', async () => {
    const readinessProbe = { tcpSocket: { port: 1 }, periodSeconds: 1 };
    await test.create('unready', { main: { args: [forever], readinessProbe } });
    const pod = await test.podWhen('unready', ({ status }) => status?.phase === 'Running');
    expect(isReady(pod)).toBe(false);
    expect(pod.status?.conditions?.find(({ type }) => type === 'Ready')?.reason).toBe('ContainersNotReady');
  });

  it('shows CrashLoopBackOff for a container that ends again and again, with its previous log', async () => {
    await test.create('crash', { main: { args: ['echo oh no; exit 3'] } });
    const pod = await test.podWhen('crash', (one) => stateOf(one).waiting?.reason === 'CrashLoopBackOff');
    expect(stateOf(pod).waiting?.message).toMatch(/^back-off 10s restarting failed container=main pod=crash_default/);
    expect(pod.status?.containerStatuses?.[0]).toMatchObject({
      restartCount: 1,
      lastState: { terminated: { exitCode: 3 } },
    });
    expect(await test.logOf('crash', 'previous=true')).toBe('oh no\n');
  });

  it('reports a missing Secret of a variable, and starts when it comes', async () => {
    await test.create('config', {
      restartPolicy: 'Never',
      main: { args: ['echo $WHO'], env: [{ name: 'WHO', valueFrom: { secretKeyRef: { name: 'late', key: 'who' } } }] },
    });
    const pod = await test.podWhen('config', (one) => stateOf(one).waiting?.reason === 'CreateContainerConfigError');
    expect(stateOf(pod).waiting?.message).toBe('secret "late" not found');
    await test.plane.client
      .resource(secrets)
      .create({ metadata: { namespace: 'default', name: 'late' }, stringData: { who: 'jane' } });
    await test.podWhen('config', ({ status }) => status?.phase === 'Succeeded');
    expect(await test.logOf('config')).toBe('jane\n');
  });

  it('waits in ContainerCreating for a Secret that is mounted', async () => {
    const volumes = [{ name: 'keys', secret: { secretName: 'keys' } }];
    await test.create('mount', { restartPolicy: 'Never', volumes, main: { args: ['true'] } });
    const pod = await test.podWhen('mount', (one) => stateOf(one).waiting !== undefined);
    expect(stateOf(pod).waiting?.reason).toBe('ContainerCreating');
    await test.plane.client.resource(secrets).create({ metadata: { namespace: 'default', name: 'keys' } });
    await test.podWhen('mount', ({ status }) => status?.phase === 'Succeeded');
  });

  it.each([
    ['IfNotPresent', 'ImagePullBackOff'],
    ['Never', 'ErrImageNeverPull'],
  ])(
    'names the images that it has for one that it does not have, with the policy %s',
    async (imagePullPolicy, reason) => {
      const name = `image-${imagePullPolicy.toLowerCase()}`;
      await test.create(name, { main: { image: 'nginx:1', imagePullPolicy } });
      const pod = await test.podWhen(name, (one) => stateOf(one).waiting?.reason === reason);
      expect(stateOf(pod).waiting?.message).toBe(
        'the process node "process-node" has no image "nginx:1"; it has: shell',
      );
    },
  );

  it('ends a container by SIGTERM, and by SIGKILL when its grace is over', async () => {
    const { client } = test.plane;
    await test.create('polite', {
      terminationGracePeriodSeconds: 30,
      main: { args: [`trap 'exit 0' TERM; ${forever}`] },
    });
    await test.create('stubborn', { terminationGracePeriodSeconds: 1, main: { args: [`trap '' TERM; ${forever}`] } });
    await Promise.all([test.podWhen('polite', isReady), test.podWhen('stubborn', isReady)]);
    const isGone = (name: string) =>
      vi.waitFor(async () => expect(await client.resource(pods).find(`default/${name}`)).toBeUndefined(), {
        timeout: 10_000,
      });
    await client.resource(pods).delete('default/polite');
    await client.resource(pods).delete('default/stubborn');
    await Promise.all([isGone('polite'), isGone('stubborn')]);
  });

  it('leaves a pod pending that selects other nodes, and says why', async () => {
    await test.create('elsewhere', { nodeSelector: { zone: 'moon' }, main: { args: ['true'] } });
    const pod = await test.podWhen(
      'elsewhere',
      ({ status }) => status?.conditions?.some(({ reason }) => reason === 'Unschedulable') ?? false,
    );
    expect(pod.status?.conditions?.[0]?.message).toBe(
      "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
    );
  });

  it('writes nothing while nothing changes', async () => {
    await test.create('quiet', { main: { args: [forever] } });
    const pod = await test.podWhen('quiet', isReady);
    // A change of another field wakes it; its own status stays as it is.
    await test.plane.client
      .resource(pods)
      .patch('default/quiet', { type: 'merge', body: { metadata: { labels: { touched: 'yes' } } } });
    await test.create('later', { restartPolicy: 'Never', main: { args: ['true'] } });
    await test.podWhen('later', ({ status }) => status?.phase === 'Succeeded');
    expect((await test.plane.client.resource(pods).get('default/quiet')).status).toEqual(pod.status);
  });
});
