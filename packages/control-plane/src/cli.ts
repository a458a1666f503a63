#!/usr/bin/env node
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { defineOptions, processOptions, runProcess } from '@flotilla/process';
import type { KubeObject } from '@flotilla/schema';
import { serverVersion } from './discovery/index.ts';
import { releaseMemory } from './release-memory.ts';
import { startControlPlane } from './start.ts';

await runProcess({
  name: 'flotilla-control-plane',
  prefix: 'flotilla',
  version: serverVersion,
  description: 'A Kubernetes-compatible API server in one process: nothing to install, state in one SQLite file.',
  options: defineOptions({
    dataDir: {
      type: 'string',
      description:
        'Keep objects, keys and the kubeconfig in this directory. Default: in memory, lost when the process ends.',
    },
    durability: {
      type: 'choice',
      choices: ['process', 'power'],
      default: 'process',
      description: 'What an acknowledged write survives: the death of the process, or also a power cut (slower).',
    },
    kubeconfigOut: {
      type: 'string',
      description:
        "Where to write the administrator's kubeconfig (mode 0600). Without it: kubeconfig.yaml in the data directory, or in a temporary one.",
    },
    bindAddress: { type: 'string', default: '127.0.0.1', description: 'Address to serve on.' },
    port: { type: 'integer', default: 6443, min: 0, max: 65535, description: 'Port to serve on; 0 takes a free one.' },
    hosts: { type: 'list', description: 'Other names and addresses for the serving certificate.' },
    crds: { type: 'boolean', description: "Installs Flotilla's kinds." },
    workloads: {
      type: 'boolean',
      description: 'Runs the controllers of Deployments, Jobs and endpoints, for a node that runs their pods.',
    },
    simulate: { type: 'boolean', description: 'Pretends to run workloads: pods become ready, jobs complete.' },
    // The API server has health endpoints of its own.
    listen: { ...processOptions.listen, default: '0' },
  }),
  async main({ options, signal, log, clock }) {
    await using temporary = options.dataDir === undefined ? await temporaryDirectory() : undefined;
    const directory = options.dataDir ?? temporary?.path ?? '';
    await using plane = await startControlPlane({
      clock,
      log,
      host: options.bindAddress,
      port: options.port,
      hosts: options.hosts,
      crds: options.crds ? await flotillaKinds() : [],
      workloads: options.workloads,
      simulator: options.simulate,
      durability: options.durability === 'power' ? 'power' : 'process',
      // Printed for other terminals, which may be in other directories.
      kubeconfigPath: resolve(options.kubeconfigOut ?? join(directory, 'kubeconfig.yaml')),
      ...(options.dataDir !== undefined && { dataDirectory: options.dataDir }),
    });
    log.info('serving', { server: plane.server, kubeconfig: plane.kubeconfigPath });
    process.stdout.write(welcome(plane.kubeconfigPath ?? ''));
    // The controllers have synced by then.
    using _ = { [Symbol.dispose]: clock.schedule(1000, releaseMemory) };
    if (!signal.aborted) await once(signal, 'abort');
  },
});

/** Loaded when asked for: the library behind the schemas is a third of the time of a start. */
async function flotillaKinds(): Promise<readonly KubeObject[]> {
  const { customResourceDefinitions } = await import('@flotilla/api-types/kinds');
  return customResourceDefinitions();
}

/** For the kubeconfig of a control plane that keeps nothing. */
async function temporaryDirectory(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'flotilla-control-plane-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

function welcome(kubeconfig: string): string {
  return `
Ready. In another terminal:

  export KUBECONFIG=${kubeconfig}
  kubectl api-resources
  kubectl create configmap hello --from-literal=who=world
  kubectl get configmaps --watch

Ctrl-C ends it.
`;
}
