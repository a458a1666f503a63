import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ManagedClusterAddOn,
  ManagedClusterAddOnCondition,
  managedClusterAddOns,
  SecretName,
} from '@flotilla/api-types';
import { type Clock, createInformers, isConditionTrue, type KubeClient } from '@flotilla/kube';
import { type Secret, secrets } from '@flotilla/kube/kinds';
import { when } from '../../cluster/when.ts';
import { type AddOnProgram, type RunningCommand, startCommand } from './addon-program.ts';

/** A cluster of a fleet on this machine. */
interface LocalCluster {
  readonly name: string;
  readonly client: KubeClient;
  /** The administrator's. */
  readonly kubeconfigPath: string;
}

interface LocalAgentInput {
  readonly program: AddOnProgram;
  readonly addOn: string;
  readonly hub: Pick<LocalCluster, 'client'>;
  readonly managed: LocalCluster;
  /** Where its credentials are written. */
  readonly directory: string;
  readonly clock: Clock;
  readonly report: (line: string) => void;
}

/**
 * Runs the agent of an add-on on one cluster as a process of this machine: with the credentials for the hub that its pod would mount,
 * and as an administrator of the cluster.
 */
export function runLocalAgent(input: LocalAgentInput): RunningCommand {
  let current = begin(input);
  return {
    async restart() {
      await current[Symbol.asyncDispose]();
      current = begin(input);
    },
    [Symbol.asyncDispose]: () => current[Symbol.asyncDispose](),
  };
}

/** Starts the agent once its cluster has what it needs. */
function begin(input: LocalAgentInput): AsyncDisposable {
  const report = (line: string) => input.report(`${input.managed.name}/${input.addOn}  ${line}`);
  const cleanup = new AsyncDisposableStack();
  const end = new AbortController();
  const started = start({ ...input, report }, cleanup, end.signal).catch((error: Error) => {
    if (!end.signal.aborted) report(`its agent cannot start: ${error.message}`);
  });
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await started;
      await cleanup.disposeAsync();
    },
  };
}

async function start(
  { program, addOn, hub, managed, directory, clock, report }: LocalAgentInput,
  cleanup: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<void> {
  const onHub = cleanup.use(createInformers({ client: hub.client, clock }));
  const all = onHub.resource(managedClusterAddOns, {
    namespace: managed.name,
    fieldSelector: `metadata.name=${addOn}`,
  });
  const { status } = await when(all, isRegistered, signal);
  const namespace = status?.namespace ?? '';
  const args = ['--managed-kubeconfig', managed.kubeconfigPath, '--cluster-name', managed.name];
  if (status?.registrations?.some(({ type }) => type === 'kubeClient')) {
    const onCluster = cleanup.use(createInformers({ client: managed.client, clock }));
    const name = SecretName.AddOnHubKubeconfig.of({ addOn });
    const found = onCluster.resource(secrets, { namespace, fieldSelector: `metadata.name=${name}` });
    const place = join(directory, managed.name, addOn);
    await writeFiles(place, await when(found, ({ data }) => data?.kubeconfig !== undefined, signal));
    // The agent reads renewed credentials again, as those that the kubelet mounts.
    const renewing = found.changes.subscribe(({ type, object }) => {
      if (type === 'deleted') return;
      writeFiles(place, object).catch((error: Error) => report(`its credentials cannot be written: ${error.message}`));
    });
    cleanup.defer(() => renewing.unsubscribe());
    args.push('--hub-kubeconfig', join(place, 'kubeconfig'));
  }
  signal.throwIfAborted();
  cleanup.use(startCommand(program, ['agent', ...args, '--addon-namespace', namespace, '--addon-name', addOn], report));
}

const isRegistered = ({ status }: ManagedClusterAddOn): boolean =>
  status?.namespace !== undefined &&
  isConditionTrue(status.conditions, ManagedClusterAddOnCondition.RegistrationApplied);

async function writeFiles(directory: string, { data = {} }: Secret): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const [name, value] of Object.entries(data)) {
    await writeFile(join(directory, name), Buffer.from(value, 'base64'), { mode: 0o600 });
  }
}
